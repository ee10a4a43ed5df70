#include "app/views/overlays/command_palette.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/actions/actions.hpp"
#include "app/session/actions/finding.hpp"
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
constexpr float narrowest_words = 60;

/// One line of the palette: an action, a lecture, a step, a tensor, a key of the setup, or a choice of how it is shown.
struct PaletteLine {
  std::string title = {};
  std::string group = {};
  std::string keys = {};
  std::function<void(ViewContext&)> run = {};
  std::string also = {};    ///< other words for the title
  std::string about = {};   ///< words about it that are searched too
  bool shows_about = true;  ///< whether they stand behind the title; if not, the found words among them do
  bool is_final = false;    ///< it ends the program: it comes last, and needs more than one key
  int quality = 1;
};

std::vector<PaletteLine> action_entries(const Session& session) {
  std::vector<PaletteLine> entries;
  for (const Action& action : actions()) {
    if (!action.enabled(session) || action.id == "palette") continue;
    entries.push_back({.title = action.title_now(session),
                       .group = std::string(action.group),
                       .keys = keys_now(action, session),
                       .run = [&action](ViewContext& context) { perform(context, action); },
                       .also = std::string(other_words(action.id)),
                       .is_final = action.id == "quit"});
  }
  return entries;
}

/// All words of a step that can be read before its question is answered.
std::string words_of(const Step& step) {
  std::string words = plain_text(step.narration.blocks);
  if (step.question) words += "\n" + plain_text(step.question->ask.blocks);
  return words;
}

/// Adds the lectures and their steps: all steps of the open lecture, and if something is searched, those of the others.
void add_lectures(std::vector<PaletteLine>& entries, const Session& session, bool all_steps) {
  const Lecture* const open = session.lesson().lecture();
  for (const auto& lecture : session.lectures())
    entries.push_back({.title = lecture->title,
                       .group = "Lecture",
                       .run = [id = lecture->id](ViewContext& context) { Lesson(context.session).open(id); },
                       .about = fmt::format("{}\n{}", lecture->source, fmt::join(lecture->goals, "\n")),
                       .shows_about = false});
  if (open != nullptr)
    for (std::size_t i = 0; i < open->steps.size(); ++i)
      entries.push_back({.title = fmt::format("{}. {}", i + 1, open->steps[i].title),
                         .group = "Step",
                         .run = [i](ViewContext& context) { Lesson(context.session).go_to(i); },
                         .about = words_of(open->steps[i]),
                         .shows_about = false});
  if (!all_steps) return;
  for (const auto& lecture : session.lectures()) {
    if (open != nullptr && lecture->id == open->id) continue;
    for (std::size_t i = 0; i < lecture->steps.size(); ++i)
      entries.push_back({.title = fmt::format("{} {}. {}", lecture->title, i + 1, lecture->steps[i].title),
                         .group = "Step",
                         .run = [id = lecture->id, i](ViewContext& context) { Lesson(context.session).open(id, i); },
                         .about = words_of(lecture->steps[i]),
                         .shows_about = false});
  }
}

void add_tensors(std::vector<PaletteLine>& entries, const Session& session) {
  for (const TensorInfo& tensor : all_tensors()) {
    if (!exists(tensor.id, session.setup())) continue;
    entries.push_back({.title = fmt::format("{}  {}", tensor.name, shape(tensor.id, session.setup()).to_string()),
                       .group = "Tensor",
                       .run =
                           [id = tensor.id](ViewContext& context) {
                             context.session.show(View::pipeline);
                             Selecting(context.session).select_tensor(id);
                           },
                       .also = fmt::format("{} {} {}", tensor.title, tensor.words, other_words(tensor.name)),
                       .about = std::string(tensor.about)});
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
      entries.push_back({.title = fmt::format("{}: {}", entry.label, word.label),
                         .group = group,
                         .run = [&entry, choose, chosen = word.word](ViewContext& context) {
                           choose(context.session, entry, chosen);
                         }});
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
      entries.push_back({.title = std::string(entry.label),
                         .group = group,
                         .run = [&entry](ViewContext& context) { show_control(context, entry); },
                         .also = std::string(other_words(entry.name)),
                         .about = std::string(entry.help)});
    if (can_change(entry, session.wanted())) add_words(entries, entry, session.wanted(), group, edit_entry);
  }
  if (presents) return;
  for (const SetupKey& key : setup_keys())
    entries.push_back({.title = std::string(key.name), .group = "Key", .run = [&key](ViewContext& context) {
                         show_control(context, key);
                       }});
}

/// Adds every number of the setup, to play with.
void add_numbers(std::vector<PaletteLine>& entries, const Session& session) {
  for (const PlayNumber& number : play_numbers(session.trace()))
    entries.push_back({.title = fmt::format("Play with {}", number.title),
                       .group = "Play",
                       .run = [key = number.key](ViewContext& context) { begin_play(context, key); }});
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
                                : exact_text(session.model_trace().value(cell), session.setup().attention.precision);
  return {.title = fmt::format("{} = {}", text_of(cell, session.setup()), value),
          .group = "Number",
          .run = [cell](ViewContext& context) {
            if (!info(context.session.display().view).explains) context.session.show(View::pipeline);
            Selecting(context.session).look_at(cell.tensor);
            Selecting(context.session).pin(cell);
            if (is_folded(context, SidePanel::inspector)) open_panel(context, SidePanel::inspector);
          }};
}

/// The lines that fit what is typed, the best first and what ends the program last. For an empty text all lines, in
/// their own order.
std::vector<PaletteLine> entries_found(const std::string& text, const Session& session) {
  std::vector<PaletteLine> entries = action_entries(session);
  add_lectures(entries, session, !text.empty());
  add_tensors(entries, session);
  add_setup(entries, session);
  add_display(entries, session);
  add_numbers(entries, session);
  for (PaletteLine& entry : entries)
    entry.quality = match_quality(text, {entry.title, fmt::format("{} {}", entry.also, entry.group), entry.about});
  std::erase_if(entries, [](const PaletteLine& entry) { return entry.quality == 0; });
  std::ranges::stable_sort(entries, [](const PaletteLine& a, const PaletteLine& b) {
    return std::pair{!a.is_final, a.quality} > std::pair{!b.is_final, b.quality};
  });
  return entries;
}

/// What stands behind the title: what the line is, or the words in which the typed ones were found.
std::string words_behind(const PaletteLine& entry, const std::string& typed) {
  if (entry.shows_about) return entry.about;
  return match_quality(typed, {entry.title, entry.also}) > 0 ? std::string() : found_words(typed, entry.about);
}

/// "Steps Next step, Page Down"
std::string said_of_entry(const PaletteLine& entry) {
  return fmt::format("{} {}{}{}", entry.group, entry.title, entry.keys.empty() ? "" : ", ", entry.keys);
}

bool draw_row(Ui& ui, const Rect& row, const PaletteLine& entry, const std::string& typed, bool chosen) {
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
  const TextStyle style = chosen ? TextStyle::control_strong : TextStyle::control;
  canvas.text_in(words, entry.title, style, theme.text);
  words.cut_left(canvas.width(entry.title, style) + 12);
  if (const std::string behind = words_behind(entry, typed); !behind.empty() && words.w > narrowest_words)
    canvas.text_in(words, behind, TextStyle::caption, theme.text2);
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
  const TextEdit edit = text_field(ui, "##text", area.cut_top(ui.reach(36)), memory.text,
                                   {.style = TextStyle::body,
                                    .focus_now = !ui.typing(),
                                    .caret_at_end = !ui.typing(),
                                    .hint = "What are you looking for? A word, or a number such as weights[0,1,2,0]"});
  // The field gets the focus a frame or two after it opens. Letters typed before that are added here.
  if (!edit.active) memory.text += ui.typed();
  if (edit.changed) {
    memory.row = 0;
    memory.sure = false;
  }
  area.cut_top(10);

  const std::optional<NumberSearch> number = number_search(memory.text, context.session);
  const std::vector<PaletteLine> entries = !number        ? entries_found(memory.text, context.session)
                                           : number->cell ? std::vector{entry_of(*number->cell, context.session)}
                                                          : std::vector<PaletteLine>{};
  const std::size_t last = entries.empty() ? 0 : entries.size() - 1;
  memory.row = std::min(memory.row, last);
  if (up && memory.row > 0) --memory.row;
  if (down && memory.row < last) ++memory.row;

  const PaletteLine* const chosen = entries.empty() ? nullptr : &entries[memory.row];
  const bool needs_more = chosen != nullptr && chosen->is_final && !memory.sure;
  const PaletteLine* picked = enter && !needs_more ? chosen : nullptr;
  memory.sure = chosen != nullptr && chosen->is_final && (memory.sure || enter);
  ui.say(chosen != nullptr ? fmt::format("{}, {} of {}", said_of_entry(*chosen), memory.row + 1, entries.size())
                           : "Find a command: no matches");
  if (entries.empty()) {
    const std::string why = number ? number->refusal : "No matches";
    ui.canvas().paragraph({area.x + 12, area.y + 22}, why, TextStyle::control, ui.theme().text2, area.w - 24, 20);
  }
  ListRows rows{entries.size(), ui.reach(entry_height), {}};
  if (up || down || edit.changed) rows.revealed = memory.row;
  const auto clicked = draw_list(ui, "rows", area, rows, [&](const Rect& row, std::size_t i) {
    const bool asks = memory.sure && i == memory.row;
    PaletteLine shown = entries[i];
    if (asks) shown.about = "Press Enter once more";
    return draw_row(ui, row, shown, memory.text, i == memory.row);
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
