#include "app/views/setup/setup_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/model/trained_layer.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/play/play.hpp"
#include "app/words.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/changes.hpp"
#include "core/setup/play_number.hpp"
#include "core/setup/value_checks.hpp"

namespace headlight {
namespace {

constexpr float between_rows = 6;

/// The reasons in one text, without the key if it is the control's own.
std::string reasons(const std::vector<Problem>& problems, std::string_view key) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    if (problem.key != key && !problem.key.empty()) text += problem.key + ": ";
    text += fmt::format("found {}; allowed: {}", problem.found, problem.allowed);
  }
  return text;
}

/// The tensors with given numbers that don't fit the sizes of a setup, though they fit those before.
std::vector<TensorId> held_by_values(const Setup& next, const Setup& before) {
  std::vector<TensorId> held;
  if (next.has_model() || next.sizes == before.sizes || !(next.values == before.values)) return held;
  for (const GivenValue& value : next.values.entries()) {
    if (!exists(value.tensor, next) || std::ranges::count(held, value.tensor) > 0) continue;
    const Shape& given = value.numbers.tensor().shape();
    if (misfit(next, value.tensor, value.part, given) && !misfit(before, value.tensor, value.part, given))
      held.push_back(value.tensor);
  }
  return held;
}

/// "X, W_q and W_k are given, number by number, for the present sizes."
std::string words_of_held(const std::vector<TensorId>& held) {
  std::vector<std::string_view> names;
  for (const TensorId tensor : held) names.push_back(name(tensor));
  return fmt::format("{} {} given, number by number, for the present sizes.", listed(names, " and "),
                     held.size() == 1 ? "is" : "are");
}

/// The setup with these tensors drawn.
Setup with_draws_of(Setup setup, const std::vector<TensorId>& held) {
  if (setup.random.draws.empty()) setup.random.draws.emplace_back(SeedDraw{0});
  const std::vector<GivenValue> given = setup.values.entries();
  for (const TensorId tensor : held) {
    for (const GivenValue& value : given)
      if (value.tensor == tensor) setup.values.erase(value.tensor, value.part);
    if (!setup.fills(tensor)) setup.random.draws.emplace_back(TensorDraw{tensor, std::nullopt, Distribution::normal});
  }
  if (std::ssize(setup.features) != setup.sizes.d_model) setup.features.clear();
  return setup;
}

}  // namespace

SetupRows::SetupRows(ViewContext& context, ScrollArea& scroll, const Rect& content)
    : context_(context),
      ui_(context.ui),
      session_(context.session),
      memory_(context.memory.get<SetupPanelMemory>()),
      canvas_(context.ui.canvas()),
      scroll_(scroll),
      content_(content),
      y_(content.y),
      changes_(context.session.changes()) {
  // If a refused value is no longer in its field, only the reason is left. The next edit removes it, and so does a
  // click, unless it offers something to click.
  const bool in_its_field = memory_.draft && memory_.refusal && memory_.draft->key == memory_.refusal->key;
  const bool offers = memory_.refusal && memory_.refusal->with_draws;
  if (!in_its_field && !offers && ui_.mouse_clicked()) memory_.refusal.reset();
  if (memory_.setup == setup()) return;
  memory_.setup = setup();
  memory_.draft.reset();
  memory_.refusal.reset();
  memory_.adapted.clear();
}

void SetupRows::section(SetupGroup section, std::string_view title, std::string_view right,
                        const std::optional<LectureValue>& lecture) {
  const Rect header{content_.x, y_, content_.w, ui_.reach(36)};
  const float after_title = canvas_.width(title, TextStyle::control_strong) + 10;
  const float room = header.w - 2 * padding - after_title - 6;
  const std::string words = canvas_.ellipsized(right, TextStyle::caption, room - (lecture ? 24 : 0));
  section_header(canvas_, header, title, words);
  if (lecture) {
    ui_.push_id(title);
    reset_button({left() + after_title, header.y + 4, room - canvas_.width(words, TextStyle::caption), header.h - 4},
                 *lecture);
    ui_.pop_id();
    if (restore_) std::exchange(restore_, {})();
  }
  in_asked_section_ = memory_.asked_for == section;
  if (memory_.asked_for == section) {
    scroll_.reveal({header.x, header.y, header.w, 100'000});
    scroll_.reveal(header);
    memory_.asked_for.reset();
  }
  y_ += header.h;
}

Rect SetupRows::reset_button(Rect room, const LectureValue& lecture) {
  std::string words = fmt::format("lecture: {}", lecture.text);
  for (const std::string& shorter : {lecture.text, std::string()})
    if (changed_note_width(ui_, words) > room.w) words = shorter;
  const Rect r = room.cut_left(changed_note_width(ui_, words));
  const Item item = changed_note(ui_, "reset", {r.x + 4, canvas_.centered_baseline(r, TextStyle::control)}, words);
  ui_.tooltip(item, fmt::format("Back to the lecture's: {}", lecture.text));
  if (item.clicked) restore_ = lecture.restore;
  return room;
}

Rect SetupRows::begin(const SetupRow& row, const std::optional<LectureValue>& lecture) {
  row_ = {left(), y_, width(), control_height()};
  first_item_ = ui_.memory().tab_order.size();
  if (lecture) dot(row_.center().y);
  Rect label = row_;
  const Rect control = label.cut_right(row.control_width);
  const float baseline = canvas_.centered_baseline(label, TextStyle::control);
  const std::string words = canvas_.ellipsized(row.label, TextStyle::control, label.w - 8);
  const float end = canvas_.text({label.x, baseline}, words, TextStyle::control, theme().text2);
  const float sub = canvas_.text({label.x + end, baseline}, row.label_sub, TextStyle::control, theme().text2,
                                 Align::left, Script::sub);
  Rect room = label;
  room.cut_left(end + sub + 6);
  ui_.push_id(row.key);
  if (!row.tooltip.empty())
    ui_.tooltip(ui_.item("label", {label.x, label.y, std::max(end + sub, 1.0f), label.h}, {.focusable = false}),
                row.tooltip);
  const auto adapted = std::find_if(memory_.adapted.begin(), memory_.adapted.end(),
                                    [&](const SetupAdapted& other) { return other.key == row.key; });
  if (adapted != memory_.adapted.end()) {
    const std::string was = fmt::format("was {}", adapted->was);
    const Rect area = room.cut_right(std::min(room.w, changed_note_width(ui_, was)));
    const Item item = changed_note(ui_, "was", {area.x, canvas_.centered_baseline(area, TextStyle::control)}, was);
    ui_.tooltip(item,
                fmt::format("It was {}, which doesn't fit what you changed. Click to undo the change", adapted->was));
    if (item.clicked) restore_ = [this] { session_.undo(); };
  }
  if (play_number(session_.trace(), row.key)) offer_play(room, row.key);
  if (lecture) reset_button(room, *lecture);
  ui_.pop_id();
  first_control_ = ui_.memory().tab_order.size();
  ui_.begin_row(fmt::format("{}{}", row.label, row.label_sub));
  y_ += row_.h + between_rows;
  return control;
}

/// The button shows while the pointer is on the row; a finger is on none. Its room is always reserved, so that nothing
/// moves.
void SetupRows::offer_play(Rect& room, std::string_view key) {
  const Rect area = room.cut_right(ui_.reach(24));
  if (!ui_.serves_finger() && !ui_.mouse_over(row_.outset(2))) return;
  const Item item = ui_.item("play", area, {.focusable = false});
  if (item.hovered) canvas_.fill(area.inset(0, 2), theme().hover, 4);
  canvas_.icon_centered(Icon::play, area, item.hovered ? theme().text : theme().text3);
  ui_.tooltip(item, "Play with this number: a large slider, a sweep and a curve");
  if (item.clicked) begin_play(context_, key);
}

void SetupRows::end(std::string_view key) {
  ui_.begin_row({});
  if (restore_) std::exchange(restore_, {})();
  if (!refused(key)) return;
  canvas_.icon(Icon::cross, {left() - 1, y_ - 1}, theme().error);
  const std::string& why = memory_.refusal->why;
  constexpr float line_height = 17;
  const float last =
      canvas_.paragraph({left() + 20, y_ + 11}, why, TextStyle::caption, theme().error, width() - 20, line_height);
  y_ = last + 13;
  if (!memory_.refusal->with_draws) return;
  const std::string_view offer = "Draw them at random";
  const Rect button_area{left() + 20, y_ - 4, canvas_.width(offer, TextStyle::control) + 28, control_height()};
  ui_.push_id(key);
  const bool taken = button(ui_, "draw instead", button_area, offer);
  ui_.pop_id();
  y_ = button_area.bottom() + 8;
  if (taken) edit(key, Setup(*memory_.refusal->with_draws));
}

void SetupRows::note(std::string_view words) {
  const float last = canvas_.paragraph({left(), y_ + 9}, words, TextStyle::caption, theme().text3, width(), 17);
  y_ = last + 13;
}

void SetupRows::dot(float y) const { changed_dot(canvas_, {content_.x + 8, y}); }

void SetupRows::reveal_focus(std::size_t first_item, const Rect& r) {
  const UiMemory& memory = ui_.memory();
  if (!memory.focus_moved || !memory.focus_visible) return;
  const auto first =
      memory.tab_order.begin() + static_cast<std::ptrdiff_t>(std::min(first_item, memory.tab_order.size()));
  if (std::find(first, memory.tab_order.end(), memory.focused) != memory.tab_order.end()) scroll_.reveal(r.outset(12));
}

void SetupRows::look_for_asked_row(std::string_view key, std::size_t first_item, const Rect& r) {
  const auto& order = ui_.memory().tab_order;
  if (memory_.asked_row.empty() || first_item >= order.size()) return;
  const Found here{order[first_item], r};
  if (in_asked_section_ && !section_start_) section_start_ = here;
  const bool asked =
      key == memory_.asked_row || (key.starts_with(memory_.asked_row) && key[memory_.asked_row.size()] == '[');
  if (asked && !asked_) asked_ = here;
}

void SetupRows::find_asked_row() {
  if (memory_.asked_row.empty()) return;
  memory_.asked_row.clear();
  const std::optional<Found>& found = asked_ ? asked_ : section_start_;
  if (!found) return;
  ui_.focus(found->control);
  scroll_.reveal(found->area.outset(12));
}

// --- Edits ---------------------------------------------------------------------------------------------------------

bool SetupRows::edit(std::string_view key, const Setup& next, std::string_view gesture) {
  if (gesture.empty()) session_.end_gesture();
  if (const auto held = held_by_values(next, setup()); !held.empty()) {
    refuse(key, words_of_held(held), with_draws_of(next, held));
    return false;
  }
  if (const auto problems = session_.edit(next, gesture); !problems.empty()) {
    refuse(key, reasons(problems, key));
    return false;
  }
  memory_.refusal.reset();
  if (memory_.draft && memory_.draft->key != key) memory_.draft.reset();
  memory_.setup = setup();
  memory_.adapted.clear();
  ui_.request_frame();
  return true;
}

/// Records which numbers an edit has changed besides its own, so that their rows say so.
void SetupRows::note_adapted(const SetupKey& changed_entry, const Setup& before) {
  for (const SetupKey& entry : setup_keys())
    if (entry.is_whole() && &entry != setup_key(changed_entry.name) && !entry.same(before, setup()))
      memory_.adapted.push_back({std::string(entry.name), entry.shown(before)});
}

void SetupRows::refuse(std::string_view key, std::string why, std::optional<Setup> with_draws) {
  memory_.refusal = SetupRefusal{std::string(key), std::move(why), std::move(with_draws)};
  if (memory_.draft && memory_.draft->key != key) memory_.draft.reset();
  ui_.request_frame();
}

std::optional<LectureValue> SetupRows::changed(std::string_view key) {
  const auto found =
      std::find_if(changes_.begin(), changes_.end(), [&](const Change& change) { return change.key == key; });
  if (found == changes_.end()) return std::nullopt;
  return LectureValue{found->lecture_value, [this, key = found->key] {
                        if (auto problems = Lesson(session_).reset(key); !problems.empty())
                          refuse(key, reasons(problems, key));
                      }};
}

std::optional<LectureValue> SetupRows::changed(const SetupKey& entry) {
  if (lecture() == nullptr || entry.same(*lecture(), setup())) return std::nullopt;
  return LectureValue{entry.shown(*lecture()),
                      [this, &entry] { edit(entry.name, set_back(*lecture(), setup(), entry.name)); }};
}

// --- Rows of entries -------------------------------------------------------------------------------------------------

Rect SetupRows::entry(const SetupKey& entry, float room) {
  if (!can_change(entry, setup())) return {};
  Control control = entry.control(setup());
  // A list of heads needs no more room than one of numbers.
  if (std::holds_alternative<Field<Setup, std::vector<LayerHead>>>(entry.value)) control.kind = ControlKind::wholes;
  if (control.kind == ControlKind::number_or_word) {
    number_or_word(entry, control);
    return {};
  }
  constexpr std::size_t most_steppers = 4;
  const bool has_ends = std::isfinite(control.range.high) && !control.numbers.empty();
  if (control.kind == ControlKind::wholes && has_ends && control.numbers.size() <= most_steppers) {
    each_number(entry, control);
    return {};
  }
  if (lecture() != nullptr) control.mark = entry.number(*lecture());
  const std::string tooltip = tooltip_of(control);
  const float wider = ui_.serves_finger() ? room : 0;  // or its buttons would have no room
  const SetupRow about{.key = entry.name,
                       .label = entry.label,
                       .control_width = control_width(ui_, control) + wider,
                       .tooltip = tooltip};
  Rect area;
  row(about, changed(entry), [&](Rect r) {
    area = r;
    r.cut_right(room);
    if (is_held(entry, control)) return draw_held(entry, control, r);
    if (control.kind != ControlKind::text && control.kind != ControlKind::wholes)
      return apply(entry, draw_control(ui_, r, control, refused(entry.name)));
    type(r, entry.name, control.exact, {.hint = control.hint},
         [&](const Setup& base, const std::string& text) { return entry.with(base, text); });
  });
  return area;
}

namespace {

/// The whole numbers beside the present one that the control could go to.
std::vector<double> neighbours_of(const Control& control) {
  if (!control.only.empty()) return {control.only.begin(), control.only.end()};
  const double by = static_cast<double>(std::max<Index>(control.spaced, 1));
  return {control.number - by, control.number + by};
}

}  // namespace

/// Whether given numbers are in the way of every other size.
bool SetupRows::is_held(const SetupKey& entry, const Control& control) const {
  if (control.kind != ControlKind::whole || setup().values.empty() || setup().has_model()) return false;
  bool any = false;
  for (const double number : neighbours_of(control)) {
    if (number == control.number || !control.range.has(number)) continue;
    const Result<Setup> changed = entry.with(setup(), number);
    if (!changed.owner) continue;
    if (held_by_values(*changed.owner, setup()).empty()) return false;
    any = true;
  }
  return any;
}

/// A stepper that can't be used; a press says why, and offers to draw what is in its way.
void SetupRows::draw_held(const SetupKey& entry, const Control& control, const Rect& r) {
  const Item item = ui_.item(entry.name, r);
  canvas_.fill(r, theme().panel, 6);
  canvas_.stroke(r, item.hovered ? theme().control : theme().line, 1, 6);
  Rect middle = r;
  canvas_.icon_centered(Icon::minus, middle.cut_left(ui_.reach(30)), theme().line_strong);
  canvas_.icon_centered(Icon::plus, middle.cut_right(ui_.reach(30)), theme().line_strong);
  canvas_.text_in(middle, control.exact, TextStyle::number_strong, theme().text2, Align::center);
  if (item.focused) canvas_.focus_ring(r);
  ui_.say_control(item, entry.label, "number held by given values", control.exact);
  ui_.tooltip(item, "Given numbers have this size. Press to draw them at random instead");
  if (!item.clicked) return;
  for (const double number : neighbours_of(control)) {
    const Result<Setup> larger = entry.with(setup(), number);
    if (number <= control.number || !larger.owner) continue;
    edit(entry.name, *larger.owner);
    return;
  }
}

/// A switch for the first word, and while it is off a field for a number.
void SetupRows::number_or_word(const SetupKey& entry, const Control& control) {
  const Control::Offered& word = control.words.front();
  const auto lecture_value = changed(entry);
  Control flag{.name = "first word", .kind = ControlKind::flag, .on = control.on};
  const std::string name = control.on ? std::string(entry.name) : fmt::format("{} off", entry.name);
  const auto lowered = word.label.find('_');  // √d_head
  const SetupRow about{.key = name,
                       .label = std::string_view(word.label).substr(0, lowered),
                       .control_width = toggle_width,
                       .tooltip = word.help,
                       .label_sub = lowered == std::string::npos ? std::string_view()
                                                                 : std::string_view(word.label).substr(lowered + 1)};
  row(about, control.on ? lecture_value : std::nullopt, [&](const Rect& r) {
    ui_.push_id(entry.name);
    const ControlEdit edited = draw_control(ui_, r, flag);
    ui_.pop_id();
    apply(entry, edited);
  });
  if (control.on) return;
  row({.key = entry.name, .label = entry.label, .control_width = control_width(ui_, control), .tooltip = entry.help},
      lecture_value, [&](const Rect& r) { apply(entry, draw_control(ui_, r, control, refused(entry.name))); });
}

/// A stepper for each number of a short list.
void SetupRows::each_number(const SetupKey& entry, const Control& control) {
  const std::size_t count = control.numbers.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("{}[{}]", entry.name, i);
    const std::string label = count == 1 ? std::string(entry.label) : fmt::format("{} [{}]", entry.label, i);
    const Control one{.name = name,
                      .kind = ControlKind::whole,
                      .number = static_cast<double>(control.numbers[i]),
                      .range = control.range};
    const bool last = i + 1 == count;
    row({.key = name, .label = label, .control_width = control_width(ui_, one), .tooltip = entry.help},
        last ? changed(entry) : std::nullopt, [&](const Rect& r) {
          ControlEdit edited = draw_control(ui_, r, one);
          if (const double* number = edited.input ? std::get_if<double>(&*edited.input) : nullptr) {
            std::vector<Index> numbers = control.numbers;
            numbers[i] = static_cast<Index>(*number);
            edited.input = value_text(numbers);
          }
          apply(entry, edited);
        });
  }
}

void SetupRows::apply(const SetupKey& entry, const ControlEdit& edited) {
  if (edited && !choose_model(session_, entry, *edited.input)) {
    const Setup before = setup();
    Result<Setup> result = entry.with(before, *edited.input);
    if (!result.owner) refuse(entry.name, std::move(result.why));
    else if (edit(entry.name, *result.owner, edited.is_gesture ? entry.name : std::string_view()) && entry.is_whole())
      note_adapted(entry, before);
  }
  if (edited.ended) session_.end_gesture();
}

TextEdit SetupRows::type(const Rect& r, std::string_view key, const std::string& shown, const TextFieldOptions& options,
                         const Parse& parse, Applied applied) {
  const auto drafting = [&] { return memory_.draft && memory_.draft->key == key; };
  std::string text = drafting() ? memory_.draft->text : shown;
  TextFieldOptions field = options;
  field.invalid = refused(key);
  const TextEdit edited = text_field(ui_, key, r, text, field);
  if (edited.escaped) ui_.take_key(Key::escape);
  const bool whole = applied == Applied::whole;
  const auto apply_text = [&] {
    Result<Setup> parsed = parse(memory_.draft->base, text);
    if (parsed.owner) edit(key, *parsed.owner, key);
    else refuse(key, std::move(parsed.why));
  };
  if (whole && edited.escaped) {
    memory_.draft.reset();
    memory_.refusal.reset();
  } else if (edited.changed) {
    if (!drafting()) memory_.draft = SetupDraft{std::string(key), {}, setup()};
    memory_.draft->text = text;
    memory_.draft->ended = false;
    if (!whole) apply_text();
    else if (refused(key)) memory_.refusal.reset();
  } else if (!edited.active && drafting() && !memory_.draft->ended) {
    memory_.draft->ended = true;
    if (whole) apply_text();
    session_.end_gesture();
    if (memory_.draft && !refused(key)) memory_.draft.reset();
  }
  return edited;
}

}  // namespace headlight
