#include "app/session/actions/target.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/checking.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/session/export/export_job.hpp"
#include "app/session/selecting.hpp"
#include "core/formats/arrays/number_table.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"

namespace headlight {
namespace {

Selection on(const Session& session, TensorId tensor, Index head) {
  Selection selection = on_tensor(session.selection(), tensor, session.setup());
  selection.head = head;
  return fitting(selection, session.setup());
}

}  // namespace

bool TargetKinds::has(TargetKind kind) const {
  switch (kind) {
    case TargetKind::cell: return cell;
    case TargetKind::head: return head;
    case TargetKind::token: return token;
    case TargetKind::tensor: return tensor;
  }
  return false;
}

Target shown_target(const Session& session) {
  return {TargetKind::cell, at_cell(session.selection(), session.cell(), session.setup())};
}

Target head_target(const Session& session, Index head) {
  const TensorId selected = session.selection().tensor;
  return {TargetKind::head, on(session, info(selected).has_heads() ? selected : TensorId::weights, head)};
}

Target tensor_target(const Session& session, TensorId tensor, Index head) {
  return {TargetKind::tensor, on(session, tensor, head)};
}

Target token_target(const Session& session, Index position, bool as_key) {
  const TensorId selected = session.selection().tensor;
  const TensorId attention = info(selected).is_attention() ? selected : TensorId::weights;
  Target target{TargetKind::token, on(session, attention, session.selection().head), as_key};
  (as_key ? target.at.column : target.at.row) = position;
  target.at = fitting(target.at, session.setup());
  return target;
}

std::string words_of(const Target& target, const Setup& setup) {
  const Selection& at = target.at;
  switch (target.kind) {
    case TargetKind::cell: break;
    case TargetKind::head: return fmt::format("head {}", setup.head_label(at.head));
    case TargetKind::token:
      return target.as_key ? fmt::format("{}, a key", setup.key_label(at.column))
                           : fmt::format("{}, a query", setup.query_label(at.row));
    case TargetKind::tensor: return fmt::format("{}  {}", name(at.tensor), shape(at.tensor, setup).to_string());
  }
  return text_of(cell_of(at, setup), setup);
}

namespace {

/// The most numbers that are copied to the clipboard; a spreadsheet takes no more.
constexpr Index most_copied = 1'000'000;
/// Fewer, because people read tables.
constexpr Index most_in_table = 10'000;

void copy(Session& session, std::string text, const std::string& what) {
  session.request(CopyText{std::move(text)});
  session.notify("Copied " + what);
}

/// Whether the lecture's step asks about numbers of the target's tensor; if so, shows a notice that they can't be
/// copied yet.
bool is_asked(Session& session, const Target& target) {
  const bool asked = session.lesson().asks() &&
                     !hidden_parts_of(*session.lesson().question(), target.at.tensor, session.setup()).empty();
  if (asked) session.notify("The step asks about this tensor: you can copy its numbers once the answer is shown");
  return asked;
}

/// Whether the target's matrix has at most this many numbers; if not, shows a notice that it is too large.
bool fits_clipboard(Session& session, const Target& target, Index most) {
  if (matrix_of(session.trace(), target.at).elements() <= most) return true;
  session.notify(fmt::format("{} is too large for the clipboard: export it instead", name(target.at.tensor)));
  return false;
}

void copy_table(Session& session, const Target& target, TableLanguage language) {
  if (is_asked(session, target) || !fits_clipboard(session, target, most_in_table)) return;
  const std::string part = part_of(target.at, session.setup());
  const TensorSlice slice = parse_tensor_slice(part, session.setup());
  copy(session, number_table(numbers_of(session.model_trace().at(slice.layer), slice), language), part + " as a table");
}

ExportWhat what_suits(TargetKind kind) {
  switch (kind) {
    case TargetKind::cell: return ExportWhat::explanation;
    case TargetKind::head: return ExportWhat::heatmap;
    case TargetKind::token: return ExportWhat::tokens;
    case TargetKind::tensor: break;
  }
  return ExportWhat::numbers;
}

}  // namespace

// --- Explain ---------------------------------------------------------------------------------------------------------

void explain(Session& session, const Target& target) {
  const Cell cell = cell_of(target.at, session.setup());
  switch (target.kind) {
    case TargetKind::cell:
      if (!info(session.display().view).explains) session.show(View::pipeline);
      return Selecting(session).pin(cell);
    case TargetKind::token: session.show(View::tokens); return Selecting(session).pin(cell);
    case TargetKind::head:
    case TargetKind::tensor: session.show(View::pipeline); return Selecting(session).select(target.at);
  }
}

void walk_upstream(Session& session, const Target& target) {
  Selecting(session).pin(cell_of(target.at, session.setup()));
  Selecting(session).walk_upstream();
}

void walk_downstream(Session& session, const Target& target) {
  Selecting(session).pin(cell_of(target.at, session.setup()));
  Selecting(session).walk_downstream();
}

// --- Copy ------------------------------------------------------------------------------------------------------------

void copy_number(Session& session, const Target& target) {
  const Cell cell = cell_of(target.at, session.setup());
  if (session.lesson().hides(cell, session.setup()) && is_asked(session, target)) return;
  copy(session, exact_text(session.model_trace().value(cell), session.setup().attention.precision),
       text_of(cell, session.setup()));
}

void copy_row(Session& session, const Target& target) {
  if (is_asked(session, target)) return;
  copy(session, row_text(session.trace(), target.at),
       fmt::format("row {} of {}", target.at.row, name(target.at.tensor)));
}

void copy_matrix(Session& session, const Target& target) {
  if (is_asked(session, target) || !fits_clipboard(session, target, most_copied)) return;
  copy(session, matrix_text(session.trace(), target.at), std::string(name(target.at.tensor)));
}

void copy_as_markdown(Session& session, const Target& target) { copy_table(session, target, TableLanguage::markdown); }
void copy_as_latex(Session& session, const Target& target) { copy_table(session, target, TableLanguage::latex); }

void copy_word(Session& session, const Target& target) {
  const Setup& setup = session.setup();
  const std::string word = target.as_key ? setup.key_label(target.at.column) : setup.query_label(target.at.row);
  copy(session, word, word);
}

// --- Pin, hide -------------------------------------------------------------------------------------------------------

void pin_or_release(Session& session, const Target& target) {
  if (session.state().pinned && session.selection() == target.at) Selecting(session).release();
  else Selecting(session).pin(cell_of(target.at, session.setup()));
}

void toggle_head(Session& session, const Target& target) {
  const Display& display = session.display();
  const Index head = target.at.head;
  session.set_display(with_head_hidden(display, head, !display.heads.hides(head), session.setup().sizes.heads));
}

void toggle_ablated(Session& session, const Target& target) {
  const Setup& setup = session.wanted();
  const Index head = target.at.head;
  const bool ablated = !setup.is_ablated(head);
  const std::string label = setup.head_label(head);  // the edit may replace the setup
  if (session.edit(with_ablated_afterwards(setup, head, ablated)).empty())
    session.notify(fmt::format("head {} is {}", label, ablated ? "ablated" : "restored"));
}

void show_asking(Session& session, const Target& target) {
  Selecting(session).select_head(target.at.head);
  Selecting(session).look_at(TensorId::W_qk);
}

void show_writing(Session& session, const Target& target) {
  Selecting(session).select_head(target.at.head);
  Selecting(session).look_at(TensorId::W_vo);
}

void toggle_blocked_cell(Session& session, const Target& target) {
  const Setup& setup = session.wanted();
  const auto [query, key] = std::pair{target.at.row, target.at.column};
  const bool hidden = setup.mask.has(MaskKind::custom) && is_blocked(setup, query, key);
  session.edit(with_blocked(setup, query, key, !hidden));
}

void toggle_blocked_key(Session& session, const Target& target) {
  const Setup& setup = session.wanted();
  const Index key = target.at.column;
  std::vector<std::pair<Index, Index>> column;
  for (Index query = 0; query < setup.sizes.query_length; ++query) column.emplace_back(query, key);
  const bool hidden = setup.mask.has(MaskKind::custom) && std::all_of(column.begin(), column.end(), [&](auto pair) {
                        return is_blocked(setup, pair.first, pair.second);
                      });
  session.edit(with_blocked(setup, std::move(column), !hidden));
}

// --- Play ------------------------------------------------------------------------------------------------------------

void play_with(Session& session, const Target& target) {
  session.request(PlayWith{to_string(cell_of(target.at, session.setup()))});
}

// --- Change ----------------------------------------------------------------------------------------------------------

void type_over(Session& session, const Target& target) {
  const Cell cell = cell_of(target.at, session.setup());
  Selecting(session).pin(cell);
  session.request(TypeNumber{cell});
}

void paste_into(Session& session, const Target& target) {
  Selecting(session).select(target.at);
  const bool number = is_a_drawn_number(session, target);
  session.request(PasteNumbers{number ? std::optional(cell_of(target.at, session.setup())) : std::nullopt});
}

void undo_change(Session& session, const Target& target) {
  session.edit(with_cell_of(original_values(session), session.wanted(), cell_of(target.at, session.setup())));
}

void undo_changes(Session& session, const Target& target) {
  session.edit(with_tensor_of(original_values(session), session.wanted(), target.at.tensor));
}

// --- Export, compare ----------------------------------------------------------------------------------------------

void export_target(Session& session, const Target& target) {
  Selecting(session).select(target.at);
  session.request(OpenExport{what_suits(target.kind)});
}

void compare_with_reference(Session& session, const Target& target) {
  Selecting(session).select(target.at);
  Checking(session).show_states();
  session.show(View::compare);
}

// --- Conditions ------------------------------------------------------------------------------------------------------

bool is_on_a_query_and_key(const Session&, const Target& target) {
  return target.kind == TargetKind::cell && info(target.at.tensor).is_query_by_key();
}

bool names_a_key(const Session& session, const Target& target) {
  return target.kind == TargetKind::token ? target.as_key : is_on_a_query_and_key(session, target);
}

bool is_a_drawn_number(const Session& session, const Target& target) {
  return target.kind == TargetKind::cell && takes_numbers(target.at.tensor, session.setup());
}

bool is_a_changed_number(const Session& session, const Target& target) {
  return is_a_drawn_number(session, target) && is_drawn(target.at.tensor, session.wanted()) &&
         is_changed(session.wanted(), original_values(session), cell_of(target.at, session.setup()));
}

bool has_changed_numbers(const Session& session, const Target& target) {
  const TensorId tensor = target.at.tensor;
  return is_drawn(tensor, session.wanted()) && !session.wanted().values.same(tensor, original_values(session));
}

bool is_in_a_head(const Session& session, const Target& target) {
  return session.setup().sizes.heads > 1 && info(target.at.tensor).has_heads();
}

bool has_a_head(const Session&, const Target& target) { return info(target.at.tensor).has_heads(); }

bool has_reference(const Session& session, const Target&) { return !session.state().checking.reference.empty(); }

}  // namespace headlight
