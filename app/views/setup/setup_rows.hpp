// The rows of the setup panel: label, the way back to the lecture's value if it differs, control, and why an edit was
// refused.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/setup/setup_panel_memory.hpp"

namespace headlight {

/// The lecture's value of a setting that the person changed, in words, and a function that brings it back.
struct LectureValue {
  std::string text;
  std::function<void()> restore;
};

/// The width of everything that chooses between words.
inline constexpr float choice_width = 152;

struct SetupRow {
  std::string_view key;  ///< key in the setup file, by which changes and refusals are found
  std::string_view label;
  float control_width = 124;  ///< the control stands at the right; 0 for none
  std::string_view tooltip = {};
  std::string_view label_sub = {};  ///< after the label, lowered
};

/// The setup that a typed text gives, or why it gives none.
struct Parsed {
  std::optional<Setup> setup;
  std::string why;  ///< why the text is refused; only without a setup
};
using Parse = std::function<Parsed(const Setup& base, const std::string& text)>;

/// The text of a field for a seed, some steps on; a seed of NumPy goes no further than NumPy lets it.
std::string stepped_seed(const std::string& text, int steps);

struct SetupSlider {
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  double step = 0;
  std::optional<double> lecture;
  std::string text;  ///< the value in words
};

/// Places the panel's rows one below the other, and applies their edits. One object per frame.
class SetupRows {
 public:
  SetupRows(ViewContext& context, ScrollArea& scroll, const Rect& content);

  ViewContext& context() { return context_; }
  Ui& ui() { return ui_; }
  const Canvas& canvas() const { return canvas_; }
  const Theme& theme() const { return ui_.theme(); }
  Session& session() { return session_; }
  const Setup& setup() const { return session_.wanted(); }
  /// The setup that the lecture gives the step; null without a lecture.
  const Setup* lecture() const { return session_.wanted_step().setup(); }
  SetupPanelMemory& memory() { return memory_; }
  float used() const { return y_ - content_.y; }

  /// The heading of a section, with the way back for what has no row with a label.
  void section(SetupTopic section, std::string_view title, std::string_view right = {},
               const std::optional<LectureValue>& lecture = std::nullopt);
  void end_section() { y_ += 9; }

  /// A row of the label and `control(rect)`. Between them stands the way back to the lecture's value if it differs, so
  /// that nothing moves where something is changed; below them why an edit was refused.
  template <class Control>
  void row(const SetupRow& row, Control&& control) {
    this->row(row, changed(row.key), std::forward<Control>(control));
  }
  template <class Control>
  void row(const SetupRow& row, const std::optional<LectureValue>& lecture, Control&& control) {
    control(begin(row, lecture));
    reveal_focus(first_item_, row_);
    look_for_asked_row(row.key, first_control_, row_);
    end(row.key);
  }
  /// A control as wide as the panel, without a label; the way back stands elsewhere.
  template <class Control>
  void block(std::string_view key, float height, Control&& control) {
    const std::size_t first_item = ui_.memory().tab_order.size();
    const Rect r{left(), y_, width(), height};
    if (changed(key)) dot(r.y + std::min(height / 2, 14.0f));
    control(r);
    reveal_focus(first_item, r);
    look_for_asked_row(key, first_item, r);
    y_ += height + 6;
    end(key);
  }
  /// Gives the keyboard to the row that was asked for, once all rows are there.
  void find_asked_row();
  /// Room as wide as the panel, for what is no control of one key.
  template <class Content>
  void area(float height, Content&& content) {
    const std::size_t first_item = ui_.memory().tab_order.size();
    const Rect r{left(), y_, width(), height};
    content(r);
    reveal_focus(first_item, r);
    y_ += height;
  }
  /// The way back to the lecture's value, in words as far as there is room, else as an icon; returns the room that is
  /// left. It goes back at the end of the row.
  Rect way_back(Rect room, const LectureValue& lecture);
  float width() const { return content_.w - 2 * padding; }

  /// A choice between words. If `with` changes other keys too, bringing back the lecture's value also brings back
  /// theirs.
  void choice(const SetupRow& row, std::span<const std::string_view> labels, int (*index_in)(const Setup&),
              const std::function<Setup(int)>& with);
  void number(const SetupRow& row, Index value, Index low, Index high, const std::function<Setup(Index)>& with);
  void slider(const SetupRow& row, double value, const SetupSlider& options, const std::function<Setup(double)>& with);
  void text(const SetupRow& row, const std::string& shown, const TextFieldOptions& options, const Parse& parse);

  /// A stepper for a value of `key`.
  void step_number(const Rect& r, std::string_view key, Index value, Index low, Index high,
                   const StepperOptions& options, const std::function<Setup(Index)>& with);
  /// A field for a number, or a word in its place, applied when it is complete.
  void number_text(const Rect& r, std::string_view key, const std::string& shown, const NumberFieldOptions& options,
                   const Parse& parse);
  /// A text field for a value of `key`: applied as it is typed, refused with a reason.
  TextEdit type(const Rect& r, std::string_view key, const std::string& shown, const TextFieldOptions& options,
                const Parse& parse);

  /// Applies the setup, or keeps the reasons why not. Equal gestures that follow each other are one step of undo.
  bool edit(std::string_view key, const Setup& next, std::string_view gesture = {});
  void refuse(std::string_view key, std::string why);
  bool refused(std::string_view key) const { return memory_.refusal && memory_.refusal->key == key; }
  /// The lecture's value for a key of the setup file; nullopt if it does not differ.
  std::optional<LectureValue> changed(std::string_view key);
  /// The lecture's value for a setting that spans several keys or is a part of one. `value` describes the setting of a
  /// setup in words; `restored` returns the setup with the lecture's value.
  std::optional<LectureValue> changed(std::string_view key, const std::function<std::string(const Setup&)>& value,
                                      const std::function<Setup(const Setup& lecture)>& restored);
  /// A line of words under a control about what it did.
  void note(std::string_view words);

 private:
  static constexpr float padding = 16;

  float left() const { return content_.x + padding; }
  Rect begin(const SetupRow& row, const std::optional<LectureValue>& lecture);
  void end(std::string_view key);
  void offer_play(Rect& room, std::string_view key);
  void note_adapted(std::string_view key, const Setup& before);
  void dot(float y) const;
  void reveal_focus(std::size_t first_item, const Rect& r);

  ViewContext& context_;
  Ui& ui_;
  Session& session_;
  SetupPanelMemory& memory_;
  Canvas canvas_;
  ScrollArea& scroll_;
  Rect content_;
  float y_;
  std::vector<Change> changes_;
  std::size_t first_item_ = 0;     ///< the row's first item in the order of Tab
  std::size_t first_control_ = 0;  ///< and the first that is not the way back
  Rect row_;

  /// A control that the asked-for row may mean.
  struct Found {
    ItemId control = 0;
    Rect place;
  };
  void look_for_asked_row(std::string_view key, std::size_t first_item, const Rect& r);
  bool in_asked_section_ = false;
  std::optional<Found> section_start_;  ///< the first control of its section
  std::optional<Found> asked_;
  std::function<void()> restore_;  ///< the way back that was clicked
};

}  // namespace headlight
