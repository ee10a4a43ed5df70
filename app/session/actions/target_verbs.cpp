#include "app/session/actions/target_verbs.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/display/cell_text.hpp"
#include "app/session/edits/setup_edits.hpp"
#include "app/session/selecting.hpp"
#include "core/formats/arrays/number_table.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// The most numbers that are copied to the clipboard; a spreadsheet takes no more.
constexpr Index most_copied = 1'000'000;
/// A table is read by people.
constexpr Index most_in_table = 10'000;

void copy(Session& session, std::string text, const std::string& what) {
  session.request(CopyText{std::move(text)});
  session.notify("Copied " + what);
}

/// Whether the lecture's step asks about numbers of the target's tensor; then says that they can't be copied yet.
bool is_asked(Session& session, const Target& target) {
  const bool asked = session.lesson().asks() && session.lesson().question()->tensor == target.place.tensor &&
                     !cells_of(*session.lesson().question(), session.setup()).empty();
  if (asked) session.notify("The step asks about it: its numbers can be copied once the answer shows");
  return asked;
}

/// Whether the target's matrix has at most so many numbers; otherwise says that it is too large.
bool fits_clipboard(Session& session, const Target& target, Index most) {
  if (matrix_of(session.trace(), target.place).elements() <= most) return true;
  session.notify(fmt::format("{} is too large for the clipboard: export it instead", name(target.place.tensor)));
  return false;
}

void copy_table(Session& session, const Target& target, TableLanguage language) {
  if (is_asked(session, target) || !fits_clipboard(session, target, most_in_table)) return;
  const std::string part = part_of(target.place, session.setup());
  const TensorSlice slice = parse_tensor_slice(part, session.setup());
  copy(session, number_table(numbers_of(session.trace(), slice), language), part + " as a table");
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
  const Cell cell = cell_of(target.place, session.setup());
  switch (target.kind) {
    case TargetKind::cell:
      if (!info(session.display().view).explains) session.show(View::pipeline);
      return Selecting(session).pin(cell);
    case TargetKind::token: session.show(View::tokens); return Selecting(session).pin(cell);
    case TargetKind::head:
    case TargetKind::tensor: session.show(View::pipeline); return Selecting(session).select(target.place);
  }
}

void walk_upstream(Session& session, const Target& target) {
  Selecting(session).pin(cell_of(target.place, session.setup()));
  Selecting(session).walk_upstream();
}

void walk_downstream(Session& session, const Target& target) {
  Selecting(session).pin(cell_of(target.place, session.setup()));
  Selecting(session).walk_downstream();
}

// --- Copy ------------------------------------------------------------------------------------------------------------

void copy_number(Session& session, const Target& target) {
  const Cell cell = cell_of(target.place, session.setup());
  if (session.lesson().hides(cell, session.setup()) && is_asked(session, target)) return;
  copy(session, exact_text(session.trace().value(cell), session.setup().attention.precision), to_string(cell));
}

void copy_row(Session& session, const Target& target) {
  if (is_asked(session, target)) return;
  copy(session, row_text(session.trace(), target.place),
       fmt::format("row {} of {}", target.place.row, name(target.place.tensor)));
}

void copy_matrix(Session& session, const Target& target) {
  if (is_asked(session, target) || !fits_clipboard(session, target, most_copied)) return;
  copy(session, matrix_text(session.trace(), target.place), std::string(name(target.place.tensor)));
}

void copy_as_markdown(Session& session, const Target& target) { copy_table(session, target, TableLanguage::markdown); }
void copy_as_latex(Session& session, const Target& target) { copy_table(session, target, TableLanguage::latex); }

void copy_word(Session& session, const Target& target) {
  const Setup& setup = session.setup();
  const std::string word = target.as_key ? setup.key_label(target.place.column) : setup.query_label(target.place.row);
  copy(session, word, word);
}

// --- Pin, hide -------------------------------------------------------------------------------------------------------

void pin_or_release(Session& session, const Target& target) {
  if (session.state().pinned && session.selection() == target.place) Selecting(session).release();
  else Selecting(session).pin(cell_of(target.place, session.setup()));
}

void toggle_head(Session& session, const Target& target) {
  const Display& display = session.display();
  const Index head = target.place.head;
  session.set_display(with_head_hidden(display, head, !display.heads.hides(head), session.setup().sizes.heads));
}

void toggle_ablated(Session& session, const Target& target) {
  const Setup& setup = session.wanted();
  const Index head = target.place.head;
  const bool ablated = !setup.attention.is_ablated(head);
  const std::string label = setup.head_label(head);  // the edit may take the setup away
  if (session.edit(with_ablated(going_on_from(setup, session.trace()), head, ablated)).empty())
    session.notify(fmt::format("head {} is {}", label, ablated ? "ablated" : "back"));
}

void show_asking(Session& session, const Target& target) {
  Selecting(session).select_head(target.place.head);
  Selecting(session).look_at(TensorId::W_qk);
}

void show_writing(Session& session, const Target& target) {
  Selecting(session).select_head(target.place.head);
  Selecting(session).look_at(TensorId::W_vo);
}

void toggle_blocked_cell(Session& session, const Target& target) {
  const Setup& setup = session.wanted();
  const auto [query, key] = std::pair{target.place.row, target.place.column};
  const bool hidden = setup.mask.has(MaskKind::custom) && is_blocked(setup, query, key);
  session.edit(with_blocked(setup, query, key, !hidden));
}

void toggle_blocked_key(Session& session, const Target& target) {
  const Setup& setup = session.wanted();
  const Index key = target.place.column;
  std::vector<std::pair<Index, Index>> column;
  for (Index query = 0; query < setup.sizes.query_length; ++query) column.emplace_back(query, key);
  const bool hidden = setup.mask.has(MaskKind::custom) && std::all_of(column.begin(), column.end(), [&](auto pair) {
                        return is_blocked(setup, pair.first, pair.second);
                      });
  session.edit(with_blocked(setup, std::move(column), !hidden));
}

// --- Play ------------------------------------------------------------------------------------------------------------

void play_with(Session& session, const Target& target) {
  session.request(PlayWith{to_string(cell_of(target.place, session.setup()))});
}

// --- Take away, compare ----------------------------------------------------------------------------------------------

void take_away(Session& session, const Target& target) {
  Selecting(session).select(target.place);
  session.request(OpenExport{what_suits(target.kind)});
}

void compare_with_reference(Session& session, const Target& target) {
  Selecting(session).select(target.place);
  session.show(View::compare);
}

// --- What they need --------------------------------------------------------------------------------------------------

bool is_on_a_query_and_key(const Session&, const Target& target) {
  return target.kind == TargetKind::cell && info(target.place.tensor).is_query_by_key();
}

bool names_a_key(const Session& session, const Target& target) {
  return target.kind == TargetKind::token ? target.as_key : is_on_a_query_and_key(session, target);
}

bool is_a_drawn_number(const Session& session, const Target& target) {
  return target.kind == TargetKind::cell && is_drawn(target.place.tensor, session.setup());
}

bool is_in_a_head(const Session& session, const Target& target) {
  return session.setup().sizes.heads > 1 && info(target.place.tensor).has_heads();
}

bool has_a_head(const Session&, const Target& target) { return info(target.place.tensor).has_heads(); }

bool has_reference(const Session& session, const Target&) { return session.state().checking.reference != nullptr; }

}  // namespace headlight
