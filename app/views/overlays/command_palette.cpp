#include "app/views/overlays/command_palette.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/lesson.hpp"
#include "app/session/model/trained_layer.hpp"
#include "app/session/selecting.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/sheet.hpp"
#include "app/views/play/play.hpp"
#include "app/views/setup/setup_panel.hpp"
#include "core/model/cell.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/keys.hpp"
#include "core/setup/play_number.hpp"

namespace headlight {
namespace {

constexpr float entry_height = 32;

/// One line of the palette: an action, a lecture, a step, a tensor, a key of the setup, or a choice of how it is shown.
struct PaletteLine {
  std::string title;
  std::string group;
  std::string keys;
  std::function<void(ViewContext&)> run;
  std::string_view also = {};  ///< other words for the title
  int quality = 1;
};

std::vector<PaletteLine> action_entries(const Session& session) {
  std::vector<PaletteLine> entries;
  for (const Action& action : actions()) {
    if (!action.enabled(session) || action.id == "palette") continue;
    entries.push_back({action.title_now(session), std::string(action.group), action.keys(),
                       [&action](ViewContext& context) { perform(context, action); }, action.also});
  }
  return entries;
}

void add_lectures(std::vector<PaletteLine>& entries, const Session& session) {
  for (const auto& lecture : session.lectures())
    entries.push_back({lecture->title, "Lecture", "",
                       [id = lecture->id](ViewContext& context) { Lesson(context.session).open(id); }});
  for (std::size_t i = 0; i < session.lesson().step_count(); ++i)
    entries.push_back({fmt::format("{}. {}", i + 1, session.lesson().lecture()->steps[i].title), "Step", "",
                       [i](ViewContext& context) { Lesson(context.session).go_to(i); }});
}

void add_tensors(std::vector<PaletteLine>& entries, const Session& session) {
  for (const TensorInfo& tensor : all_tensors()) {
    if (!exists(tensor.id, session.setup())) continue;
    entries.push_back({fmt::format("{}  {}", tensor.name, shape(tensor.id, session.setup()).to_string()), "Tensor", "",
                       [id = tensor.id](ViewContext& context) {
                         context.session.show(View::pipeline);
                         Selecting(context.session).select_tensor(id);
                       }});
  }
}

/// Adds the words that an entry could have instead: "Encoding: rotary".
template <class O>
void add_words(std::vector<PaletteLine>& entries, const Entry<O>& entry, const O& owner, const std::string& group,
               auto choose) {
  const Control control = entry.control(owner);
  if (control.kind != ControlKind::choice) return;
  for (const Control::Offered& word : control.words)
    if (word.word != control.word)
      entries.push_back(
          {fmt::format("{}: {}", entry.label, word.label), group, "",
           [&entry, choose, chosen = word.word](ViewContext& context) { choose(context.session, entry, chosen); }});
}

/// Adds the choices about all figures, by their words.
void add_display(std::vector<PaletteLine>& entries, const Session& session) {
  const auto choose = [](Session& to, const Entry<Display>& entry, const ControlInput& chosen) {
    to.set_display(with_choice(to.display(), entry.name, chosen));
  };
  for (const Entry<Display>& entry : display_entries())
    if (entry.group == ShownFor::figure) add_words(entries, entry, session.display(), "View", choose);
}

/// Adds every entry of the setup by its label, by its choices, and by its key in the setup file. While presenting,
/// there is no panel with its control, so only the choices are offered.
void add_setup(std::vector<PaletteLine>& entries, const Session& session) {
  const bool presents = session.display().presentation.presenting;
  for (const SetupKey& entry : setup_entries()) {
    const std::string group(label_of(entry.group));
    if (!presents)
      entries.push_back(
          {std::string(entry.label), group, "", [&entry](ViewContext& context) { show_control(context, entry); }});
    if (can_change(entry, session.wanted())) add_words(entries, entry, session.wanted(), group, edit_entry);
  }
  if (presents) return;
  for (const SetupKey& key : setup_keys())
    entries.push_back({std::string(key.name), "Key", "", [&key](ViewContext& context) { show_control(context, key); }});
}

/// Adds every number of the setup, to play with.
void add_numbers(std::vector<PaletteLine>& entries, const Session& session) {
  for (const PlayNumber& number : play_numbers(session.trace()))
    entries.push_back({fmt::format("Play with {}", number.title), "Play", "",
                       [key = number.key](ViewContext& context) { begin_play(context, key); }});
}

/// The cell with these tensor and indices, "weights[0,1,2,0]", or why there is none.
struct NumberSearch {
  std::optional<Cell> cell;
  std::string refusal;
};

std::optional<NumberSearch> number_search(const std::string& text, const Session& session) {
  if (text.find('[') == std::string::npos) return std::nullopt;
  try {
    return NumberSearch{parse_cell(text, session.setup()), {}};
  } catch (const InputError& error) {
    return NumberSearch{std::nullopt, "Allowed: " + error.problems().front().allowed};
  }
}

PaletteLine entry_of(const Cell& cell, const Session& session) {
  const std::string value = session.lesson().hides(cell, session.setup())
                                ? "?"
                                : exact_text(session.trace().value(cell), session.setup().attention.precision);
  return {fmt::format("{} = {}", to_string(cell), value), "Number", "", [cell](ViewContext& context) {
            if (!info(context.session.display().view).explains) context.session.show(View::pipeline);
            Selecting(context.session).look_at(cell.tensor);
            Selecting(context.session).pin(cell);
            if (is_folded(context, SidePanel::inspector)) open_panel(context, SidePanel::inspector);
          }};
}

/// The lines that match the typed letters, the best match first. For an empty text all lines, in their own order.
std::vector<PaletteLine> entries_found(const std::string& text, const Session& session) {
  std::vector<PaletteLine> entries = action_entries(session);
  add_lectures(entries, session);
  add_tensors(entries, session);
  add_setup(entries, session);
  add_display(entries, session);
  add_numbers(entries, session);
  if (text.empty()) return entries;
  for (PaletteLine& entry : entries)
    entry.quality = std::max({2 * match_quality(text, entry.title),
                              match_quality(text, fmt::format("{} {}", entry.group, entry.title)),
                              match_quality(text, entry.also)});
  std::erase_if(entries, [](const PaletteLine& entry) { return entry.quality == 0; });
  std::stable_sort(entries.begin(), entries.end(),
                   [](const PaletteLine& a, const PaletteLine& b) { return a.quality > b.quality; });
  return entries;
}

bool draw_row(Ui& ui, const Rect& row, const PaletteLine& entry, bool chosen) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const Item item = list_row(ui, "row", row, chosen);
  Rect words = row.inset(14, 0);
  if (!entry.keys.empty() && !ui.serves_finger()) {
    const float cap = key_cap_width(canvas, entry.keys);
    key_cap(canvas, {words.right() - cap, canvas.centered_baseline(row, TextStyle::caption)}, entry.keys);
    words.cut_right(cap + 12);
  }
  canvas.text_in(words.cut_left(72), entry.group, TextStyle::caption, theme.text3);
  canvas.text_in(words, entry.title, chosen ? TextStyle::control_strong : TextStyle::control, theme.text);
  return item.clicked;
}

void close(ViewContext& context) {
  context.session.edit_display([](Display& d) { d.overlay = Overlay::none; });
  context.memory.get<PaletteMemory>() = {};
}

}  // namespace

void draw_palette(ViewContext& context) {
  Ui& ui = context.ui;
  auto& memory = context.memory.get<PaletteMemory>();
  Sheet sheet(ui, "palette", 600, 468);
  Rect area = sheet.area();
  // The list takes the arrow keys and Enter first; the text field below gets the other keys.
  const bool up = ui.take_key(Key::up);
  const bool down = ui.take_key(Key::down);
  const bool enter = ui.take_key(Key::enter);
  const TextEdit edit =
      text_field(ui, "##text", area.cut_top(ui.reach(36)), memory.text,
                 {.style = TextStyle::body,
                  .focus_now = !ui.typing(),
                  .caret_at_end = !ui.typing(),
                  .hint = "A command, a lecture, a step, a tensor, a control, a number such as weights[0,1,2,0]"});
  // The field gets the focus a frame or two after it opens. Letters typed before that are added here.
  if (!edit.active) memory.text += ui.typed();
  if (edit.changed) memory.row = 0;
  area.cut_top(10);

  const std::optional<NumberSearch> number = number_search(memory.text, context.session);
  const std::vector<PaletteLine> entries = !number        ? entries_found(memory.text, context.session)
                                           : number->cell ? std::vector{entry_of(*number->cell, context.session)}
                                                          : std::vector<PaletteLine>{};
  const std::size_t last = entries.empty() ? 0 : entries.size() - 1;
  memory.row = std::min(memory.row, last);
  if (up && memory.row > 0) --memory.row;
  if (down && memory.row < last) ++memory.row;

  const PaletteLine* picked = enter && !entries.empty() ? &entries[memory.row] : nullptr;
  if (entries.empty()) {
    const std::string why = number ? number->refusal : "No matches";
    ui.canvas().paragraph({area.x + 12, area.y + 22}, why, TextStyle::control, ui.theme().text2, area.w - 24, 20);
  }
  ListRows rows{entries.size(), ui.reach(entry_height), {}};
  if (up || down || edit.changed) rows.revealed = memory.row;
  const auto clicked = draw_list(ui, "rows", area, rows, [&](const Rect& row, std::size_t i) {
    return draw_row(ui, row, entries[i], i == memory.row);
  });
  if (clicked) picked = &entries[*clicked];
  if (picked != nullptr) {
    close(context);
    picked->run(context);
  } else if (sheet.dismissed()) {
    close(context);
  }
}

}  // namespace headlight
