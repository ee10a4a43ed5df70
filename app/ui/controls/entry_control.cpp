#include "app/ui/controls/entry_control.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/ui/controls/controls.hpp"

namespace headlight {
namespace {

constexpr float usual_choice = 152;
constexpr float choice_for_finger = 184;  ///< has room for as many fingertips as there are stops
constexpr float beyond_choice = 12;       ///< by which a choice may be wider, so that its words are side by side
constexpr float text_width = 176;
constexpr float stepper_width = 64;  ///< of its number; it has a button on each side
constexpr float stepper_button = 30;
constexpr float field_width = 92;
constexpr float list_width = 124;
constexpr int most_stops = 4;

float choice_width(const Ui& ui) { return ui.serves_finger() ? choice_for_finger : usual_choice; }

float width_side_by_side(const Canvas& canvas, const Control& control) {
  float widest = 0;
  for (const Control::Offered& word : control.words)
    widest = std::max(widest, canvas.width(word.label, TextStyle::control_strong));
  return 4 + static_cast<float>(control.words.size()) * (widest + 4);
}

ControlEdit draw_flag(Ui& ui, const Rect& r, const Control& control) {
  bool on = control.on;
  return toggle(ui, control.name, {r.x, r.y + (r.h - toggle_height) / 2}, on) ? ControlEdit{.input = on}
                                                                              : ControlEdit{};
}

ControlEdit draw_choice(Ui& ui, const Rect& r, const Control& control) {
  std::vector<std::string> labels;
  for (const Control::Offered& word : control.words) labels.push_back(word.label);
  int index =
      static_cast<int>(std::ranges::find(control.words, control.word, &Control::Offered::word) - control.words.begin());
  const std::vector<std::string_view> views(labels.begin(), labels.end());
  const float side_by_side_width = width_side_by_side(ui.canvas(), control);
  const bool side_by_side = side_by_side_width <= r.w;
  const std::string tooltip = tooltip_of(control);
  const ChoiceOptions options{.tooltip = tooltip};
  const bool changed = side_by_side ? segmented(ui, control.name, r, views, index, options)
                                    : select(ui, control.name, r, labels, index, options);
  return changed ? ControlEdit{.input = control.words[static_cast<std::size_t>(index)].word} : ControlEdit{};
}

/// The next number in `only`, above or below a value that need not be in it.
long long neighbour(const std::vector<Index>& only, long long value, int direction) {
  if (direction > 0) {
    const auto above = std::ranges::upper_bound(only, value);
    return above == only.end() ? only.back() : *above;
  }
  const auto from = std::ranges::lower_bound(only, value);
  return from == only.begin() ? only.front() : *std::prev(from);
}

/// The next multiple of `unit` above or below a positive value; the first one is the lowest.
long long next_multiple(long long unit, long long value, int direction) {
  const long long above = value / unit + 1;
  const long long below = (value - 1) / unit;
  return unit * (direction > 0 ? above : std::max(below, 1LL));
}

ControlEdit draw_stepper(Ui& ui, const Rect& r, const Control& control) {
  constexpr double furthest = 1e15;
  const auto low = static_cast<long long>(std::max(control.range.low, -furthest));
  const auto high = static_cast<long long>(std::min(control.range.high, furthest));
  auto number = static_cast<long long>(control.number);
  StepperOptions options{.tooltip = how_to_edit};
  if (control.spaced > 1)
    options.step = [&](long long from, int direction) { return next_multiple(control.spaced, from, direction); };
  if (!control.only.empty())
    options.step = [&](long long from, int direction) { return neighbour(control.only, from, direction); };
  const Edited edited = stepper(ui, control.name, r, number, low, high, options);
  ControlEdit edit{.is_gesture = true, .ended = edited.ended};
  if (edited) edit.input = static_cast<double>(number);
  if (edited.rejected) edit.input = *edited.rejected;
  return edit;
}

ControlEdit draw_only(Ui& ui, const Rect& r, const Control& control) {
  const float narrowest_segment = ui.reach(24);
  if (static_cast<float>(control.only.size()) * narrowest_segment > r.w) return draw_stepper(ui, r, control);
  std::vector<std::string> words;
  for (const Index number : control.only) words.push_back(std::to_string(number));
  const std::vector<std::string_view> labels(words.begin(), words.end());
  const auto now = std::ranges::find(control.only, static_cast<Index>(control.number));
  int index = static_cast<int>(now - control.only.begin());
  if (!segmented(ui, control.name, r, labels, index, {.mono = true})) return {};
  return {.input = static_cast<double>(control.only[static_cast<std::size_t>(index)])};
}

/// How many values a slider would have.
int stops_of(const Travel& travel) {
  return 1 + static_cast<int>(std::lround((travel.high - travel.low) / travel.step));
}

ControlEdit draw_stops(Ui& ui, const Rect& r, const Control& control) {
  const Travel& travel = *control.travel;
  std::vector<std::string> words;
  for (int stop = 0; stop < stops_of(travel); ++stop)
    words.push_back(fmt::format("{}", travel.low + stop * travel.step));
  const std::vector<std::string_view> labels(words.begin(), words.end());
  int index = static_cast<int>(std::ranges::find(words, control.exact) - words.begin());
  if (!segmented(ui, control.name, r, labels, index, {.mono = true})) return {};
  return {.input = travel.low + index * travel.step};
}

ControlEdit draw_field(Ui& ui, const Rect& r, const Control& control, bool invalid) {
  const FieldEdit edited =
      number_field(ui, control.name, r, control.exact, control.exact,
                   {.invalid = invalid,
                    .hint = control.hint,
                    .tooltip = how_to_edit,
                    .step = [&](const std::string& text, int steps) { return stepped(control, text, steps); }});
  ControlEdit edit{.is_gesture = true, .ended = edited.ended};
  if (edited.text && *edited.text != control.exact) edit.input = *edited.text;
  return edit;
}

ControlEdit draw_seed(Ui& ui, Rect r, const Control& control, bool invalid) {
  const Rect die = r.cut_right(ui.reach(28));
  r.cut_right(6);
  ControlEdit edit = draw_field(ui, r, control, invalid);
  ui.push_id(control.name);
  if (icon_button(ui, "die", die, Icon::dice, {.tooltip = "Another seed"}))
    edit = {.input = another_seed(control.exact)};
  ui.pop_id();
  return edit;
}

ControlEdit draw_slider(Ui& ui, Rect r, const Control& control) {
  const Travel& travel = *control.travel;
  const Rect words = r.cut_right(std::max(ui.reach(40), ui.canvas().width(control.text, TextStyle::mono) + 4));
  double value = control.number;
  const Edited edited = slider(ui, control.name, r, value, travel.low, travel.high,
                               {.logarithmic = travel.is_logarithmic(),
                                .step = travel.step,
                                .mark = control.mark,
                                .number = words,
                                .text = control.text,
                                .typed_beyond = true,
                                .tooltip = "Drag; ← → and Ctrl+wheel step, Esc restores"});
  const bool dragged = !(edited.began && edited.ended);  // a dragged number is rounded, a typed one is exact
  ControlEdit edit{.is_gesture = true, .ended = edited.ended};
  if (edited) edit.input = dragged ? travel.rounded(value) : value;
  if (edited.rejected) edit.input = *edited.rejected;
  return edit;
}

/// A number in percent, whose steps are not all alike.
ControlEdit draw_percent(Ui& ui, const Rect& r, const Control& control) {
  const Travel& travel = *control.travel;
  auto percent = std::llround(100 * control.number);
  const auto step = [&](long long from, int direction) {
    return std::llround(100 * travel.next(static_cast<double>(from) / 100, direction));
  };
  const Edited edited = stepper(ui, control.name, r, percent, std::llround(100 * travel.low),
                                std::llround(100 * travel.high), {.step = step});
  return edited ? ControlEdit{.input = static_cast<double>(percent) / 100} : ControlEdit{};
}

ControlEdit draw_text(Ui& ui, const Rect& r, const Control& control, bool invalid) {
  std::string text = control.exact;
  const TextEdit edited = text_field(ui, control.name, r, text, {.invalid = invalid, .hint = control.hint});
  ControlEdit edit{.is_gesture = true, .ended = edited.committed};
  if (edited.changed) edit.input = text;
  return edit;
}

bool is_seed(const Control& control) { return control.travel && control.travel->spacing == Spacing::unordered; }

}  // namespace

float control_width(const Ui& ui, const Control& control) {
  switch (control.kind) {
    case ControlKind::flag: return toggle_width;
    case ControlKind::choice: {
      const float usual = choice_width(ui);
      const float width = width_side_by_side(ui.canvas(), control);
      return width > usual + beyond_choice ? usual : std::max(width, usual);
    }
    case ControlKind::whole: return stepper_width + 2 * ui.reach(stepper_button);
    case ControlKind::real: return control.travel && control.travel->suits_slider() ? choice_width(ui) : field_width;
    case ControlKind::number_or_word: return field_width;
    case ControlKind::text: return text_width;
    case ControlKind::wholes: break;
  }
  return list_width;
}

float least_control_width(const Ui& ui, const Control& control) {
  constexpr float most = 16;
  const float width = control_width(ui, control);
  if (control.kind == ControlKind::real && control.travel && control.travel->suits_slider()) return width - most;
  if (control.kind != ControlKind::choice) return width;
  const float side_by_side = width_side_by_side(ui.canvas(), control);
  return side_by_side > width ? width - most : std::max(side_by_side, width - most);
}

ControlEdit draw_control(Ui& ui, const Rect& r, const Control& control, bool invalid) {
  switch (control.kind) {
    case ControlKind::flag: return draw_flag(ui, r, control);
    case ControlKind::choice: return draw_choice(ui, r, control);
    case ControlKind::whole:
      if (is_seed(control)) return draw_seed(ui, r, control, invalid);
      return control.only.empty() ? draw_stepper(ui, r, control) : draw_only(ui, r, control);
    case ControlKind::real:
      if (control.travel && control.travel->next != nullptr) return draw_percent(ui, r, control);
      if (control.travel && control.travel->spacing == Spacing::even && stops_of(*control.travel) <= most_stops)
        return draw_stops(ui, r, control);
      if (control.travel && control.travel->suits_slider()) return draw_slider(ui, r, control);
      return draw_field(ui, r, control, invalid);
    case ControlKind::number_or_word: return draw_field(ui, r, control, invalid);
    case ControlKind::wholes:
    case ControlKind::text: break;
  }
  return draw_text(ui, r, control, invalid);
}

std::string tooltip_of(const Control& control) {
  std::string text(control.help);
  const auto chosen = std::ranges::find(control.words, control.word, &Control::Offered::word);
  if (control.kind == ControlKind::choice && chosen != control.words.end() && !chosen->help.empty())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", chosen->label, chosen->help);
  return text;
}

}  // namespace headlight
