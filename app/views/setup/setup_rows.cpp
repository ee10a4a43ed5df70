#include "app/views/setup/setup_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/session/edits/changes.hpp"
#include "app/session/lesson.hpp"
#include "app/session/play/number.hpp"
#include "app/views/frame/view_memory.hpp"
#include "app/views/play/play_strip.hpp"
#include "app/views/setup/setup_panel_memory.hpp"

namespace headlight {
namespace {

/// Sizes that follow another one: heads divide d_model, and heads of keys and values divide heads.
constexpr std::array<std::string_view, 3> sizes_that_follow{"sizes.d_model", "sizes.heads", "sizes.kv_heads"};

constexpr float row_pitch = 34;
constexpr float control_height = 28;

/// The reasons in one text; the key is left out where it is the control's own.
std::string reasons(const std::vector<Problem>& problems, std::string_view key) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    if (problem.key != key && !problem.key.empty()) text += problem.key + ": ";
    text += fmt::format("found {}; allowed: {}", problem.found, problem.allowed);
  }
  return text;
}

}  // namespace

std::string stepped_seed(const std::string& text, int steps) {
  std::int64_t seed = 0;
  std::from_chars(text.data(), text.data() + text.size(), seed);
  seed = std::max<std::int64_t>(seed, 0);
  const std::int64_t most = std::max<std::int64_t>(seed, 4'294'967'295);  // NumPy's largest
  return std::to_string(steps > most - seed ? most : std::max<std::int64_t>(seed + steps, 0));
}

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
  // Of a refused value that is not in its field any more, only the reason is left; it goes with the next thing done.
  const bool in_its_field = memory_.draft && memory_.refusal && memory_.draft->key == memory_.refusal->key;
  if (!in_its_field && ui_.mouse_clicked()) memory_.refusal.reset();
  if (memory_.setup == setup()) return;
  memory_.setup = setup();
  memory_.draft.reset();
  memory_.refusal.reset();
  memory_.adapted.clear();
}

void SetupRows::section(SetupTopic section, std::string_view title, std::string_view right,
                        const std::optional<LectureValue>& lecture) {
  const Rect header{content_.x, y_, content_.w, 36};
  const float after_title = canvas_.width(title, TextStyle::control_strong) + 10;
  const float room = header.w - 2 * padding - after_title - 6;
  const std::string words = canvas_.ellipsized(right, TextStyle::caption, room - (lecture ? 24 : 0));
  section_header(canvas_, header, title, words);
  if (lecture) {
    ui_.push_id(title);
    way_back({left() + after_title, header.y + 6, room - canvas_.width(words, TextStyle::caption), 28}, *lecture);
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

Rect SetupRows::way_back(Rect room, const LectureValue& lecture) {
  std::string words = fmt::format("lecture: {}", lecture.text);
  for (const std::string& shorter : {lecture.text, std::string()})
    if (changed_note_width(canvas_, words) > room.w) words = shorter;
  const Rect r = room.cut_left(changed_note_width(canvas_, words));
  const Item item = changed_note(ui_, "reset", {r.x + 4, canvas_.centered_baseline(r, TextStyle::control)}, words);
  ui_.tooltip(item, fmt::format("Back to the lecture's: {}", lecture.text));
  if (item.clicked) restore_ = lecture.restore;
  return room;
}

Rect SetupRows::begin(const SetupRow& row, const std::optional<LectureValue>& lecture) {
  row_ = {left(), y_, width(), control_height};
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
    const Rect place = room.cut_right(std::min(room.w, canvas_.width(was, TextStyle::caption) + 8));
    canvas_.text_in(place, was, TextStyle::caption, theme().changed);
    ui_.tooltip(ui_.item("was", place, {.focusable = false}),
                fmt::format("It follows what you changed: {} would not divide evenly", adapted->was));
  }
  if (play_number(session_.trace(), row.key)) offer_play(room, row.key);
  if (lecture) way_back(room, *lecture);
  ui_.pop_id();
  first_control_ = ui_.memory().tab_order.size();
  y_ += row_pitch;
  return control;
}

/// The button shows while the pointer is on the row. Its room is always free, so that nothing moves.
void SetupRows::offer_play(Rect& room, std::string_view key) {
  const Rect place = room.cut_right(24);
  if (!ui_.mouse_over(row_.outset(2))) return;
  const Item item = ui_.item("play", place, {.focusable = false});
  if (item.hovered) canvas_.fill(place.inset(0, 2), theme().hover, 4);
  canvas_.icon_centered(Icon::play, place, item.hovered ? theme().text : theme().text3);
  ui_.tooltip(item, "Play with this number: a large slider, a sweep and a curve");
  if (item.clicked) begin_play(context_, key);
}

void SetupRows::end(std::string_view key) {
  if (restore_) std::exchange(restore_, {})();
  if (!refused(key)) return;
  canvas_.icon(Icon::cross, {left() - 1, y_ - 1}, theme().error);
  const std::string& why = memory_.refusal->why;
  constexpr float line_height = 17;
  const float last =
      canvas_.paragraph({left() + 20, y_ + 11}, why, TextStyle::caption, theme().error, width() - 20, line_height);
  y_ = last + 13;
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
  scroll_.reveal(found->place.outset(12));
}

// --- Edits ---------------------------------------------------------------------------------------------------------

bool SetupRows::edit(std::string_view key, const Setup& next, std::string_view gesture) {
  if (gesture.empty()) session_.end_gesture();
  const Setup before = setup();
  if (const auto problems = session_.edit(next, gesture); !problems.empty()) {
    refuse(key, reasons(problems, key));
    return false;
  }
  memory_.refusal.reset();
  if (memory_.draft && memory_.draft->key != key) memory_.draft.reset();
  memory_.setup = setup();
  note_adapted(key, before);
  ui_.request_frame();
  return true;
}

/// Notes which sizes have followed the edit, so that their rows say so.
void SetupRows::note_adapted(std::string_view key, const Setup& before) {
  memory_.adapted.clear();
  for (const Change& change : headlight::changes(before, setup()))
    if (change.key != key &&
        std::find(sizes_that_follow.begin(), sizes_that_follow.end(), change.key) != sizes_that_follow.end())
      memory_.adapted.push_back({change.key, change.lecture_value});
}

void SetupRows::refuse(std::string_view key, std::string why) {
  memory_.refusal = SetupRefusal{std::string(key), std::move(why)};
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

std::optional<LectureValue> SetupRows::changed(std::string_view key,
                                               const std::function<std::string(const Setup&)>& value,
                                               const std::function<Setup(const Setup& lecture)>& restored) {
  if (lecture() == nullptr) return std::nullopt;
  std::string theirs = value(*lecture());
  if (theirs == value(setup())) return std::nullopt;
  return LectureValue{std::move(theirs), [this, restored, key = std::string(key)] { edit(key, restored(*lecture())); }};
}

// --- Rows of one control -------------------------------------------------------------------------------------------

void SetupRows::choice(const SetupRow& about, std::span<const std::string_view> labels, int (*index_in)(const Setup&),
                       const std::function<Setup(int)>& with) {
  const auto words = [&](const Setup& setup) { return std::string(labels[static_cast<std::size_t>(index_in(setup))]); };
  row(about, changed(about.key, words, [&](const Setup& theirs) { return with(index_in(theirs)); }),
      [&](const Rect& r) {
        int index = index_in(setup());
        if (segmented(ui_, about.key, r, labels, index)) edit(about.key, with(index));
      });
}

void SetupRows::step_number(const Rect& r, std::string_view key, Index value, Index low, Index high,
                            const StepperOptions& options, const std::function<Setup(Index)>& with) {
  long long number = value;
  StepperOptions with_words = options;
  if (with_words.tooltip.empty()) with_words.tooltip = how_to_edit;
  const Edited edited = stepper(ui_, key, r, number, low, high, with_words);
  if (edited) edit(key, with(number), key);
  if (edited.ended) session_.end_gesture();
  if (edited.rejected)
    refuse(key, fmt::format("found {}; allowed: a whole number from {} to {}", *edited.rejected, low, high));
}

void SetupRows::number(const SetupRow& about, Index value, Index low, Index high,
                       const std::function<Setup(Index)>& with) {
  row(about, [&](const Rect& r) { step_number(r, about.key, value, low, high, {}, with); });
}

void SetupRows::slider(const SetupRow& about, double value, const SetupSlider& options,
                       const std::function<Setup(double)>& with) {
  row(about, [&](Rect r) {
    const Rect words = r.cut_right(std::max(40.0f, canvas_.width(options.text, TextStyle::mono) + 4));
    const Edited edited = headlight::slider(ui_, about.key, r, value, options.low, options.high,
                                            {.logarithmic = options.logarithmic,
                                             .step = options.step,
                                             .mark = options.lecture,
                                             .number = words,
                                             .text = options.text,
                                             .typed_beyond = true,
                                             .tooltip = "Drag; ← → and Ctrl+wheel step, Esc restores"});
    const bool dragged = !(edited.began && edited.ended);  // a dragged value is rounded, a typed one is kept exactly
    if (edited) edit(about.key, with(dragged ? std::round(value * 100) / 100 : value), about.key);
    if (edited.rejected) refuse(about.key, fmt::format("found \"{}\"; allowed: a number", *edited.rejected));
    if (edited.ended) session_.end_gesture();
  });
}

void SetupRows::text(const SetupRow& about, const std::string& shown, const TextFieldOptions& options,
                     const Parse& parse) {
  row(about, [&](const Rect& r) { type(r, about.key, shown, options, parse); });
}

void SetupRows::number_text(const Rect& r, std::string_view key, const std::string& shown,
                            const NumberFieldOptions& options, const Parse& parse) {
  NumberFieldOptions field = options;
  field.invalid = refused(key);
  if (field.tooltip.empty()) field.tooltip = how_to_edit;
  const FieldEdit edited = number_field(ui_, key, r, shown, shown, field);
  if (edited.text && *edited.text != shown) {
    Parsed parsed = parse(setup(), *edited.text);
    if (parsed.setup) edit(key, *parsed.setup, key);
    else refuse(key, std::move(parsed.why));
  }
  if (edited.ended) session_.end_gesture();
}

TextEdit SetupRows::type(const Rect& r, std::string_view key, const std::string& shown, const TextFieldOptions& options,
                         const Parse& parse) {
  const auto drafting = [&] { return memory_.draft && memory_.draft->key == key; };
  std::string text = drafting() ? memory_.draft->text : shown;
  TextFieldOptions field = options;
  field.invalid = refused(key);
  const TextEdit edited = text_field(ui_, key, r, text, field);
  if (edited.escaped) ui_.take_key(Key::escape);
  if (edited.changed) {
    if (!drafting()) memory_.draft = SetupDraft{std::string(key), {}, setup()};
    memory_.draft->text = text;
    memory_.draft->ended = false;
    Parsed parsed = parse(memory_.draft->base, text);
    if (parsed.setup) edit(key, *parsed.setup, key);
    else refuse(key, std::move(parsed.why));
  } else if (!edited.active && drafting() && !memory_.draft->ended) {
    memory_.draft->ended = true;
    session_.end_gesture();
    if (!refused(key)) memory_.draft.reset();
  }
  return edited;
}

}  // namespace headlight
