// The rows of the setup panel: label, a button that resets to the lecture's value if it differs, control, and why an
// edit was refused.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/entry_control.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/view_context.hpp"
#include "core/setup/keys.hpp"

namespace headlight {

// --- The state of the setup panel between frames: what is being typed or painted, refused, unfolded ------------------

/// A text that is being typed into a field. After every letter the whole text is applied to `base`, the setup before
/// the first letter, so that a sentence that is short for a moment loses nothing.
struct SetupDraft {
  std::string key;
  std::string text;
  Setup base;
  bool ended = false;  ///< another control has the focus now; the draft is kept only if it was refused
};

/// An edit that was not applied, and why, to be shown at its control.
struct SetupRefusal {
  std::string key;
  std::string why;
  std::optional<Setup> with_draws = {};  ///< what the edit would give if the numbers in its way were drawn
};

/// A size that an edit of another one has changed, and its value before.
struct SetupAdapted {
  std::string key;
  std::string was;
};

/// The stroke of a brush over the mask.
struct MaskStroke {
  bool hides = true;
  Index row = 0;  ///< where the brush was in the last frame, in cells of the grid
  Index column = 0;
};

struct SetupPanelMemory {
  Setup setup;               ///< the setup of the draft and the refusal, which end when it changes
  float content_height = 0;  ///< of the last frame
  bool draws_open = false;
  std::optional<SetupDraft> draft;
  std::optional<SetupRefusal> refusal;
  std::vector<SetupAdapted> adapted;  ///< by the last edit in the panel
  std::optional<MaskStroke> stroke;
  std::string sentence_key;             ///< of the labels that are being typed as a sentence; empty while chips show
  int sentence_age = 0;                 ///< frames since that began: a text field takes a moment to get the focus
  std::string new_draw;                 ///< typed into the line below the draws
  std::optional<SetupGroup> asked_for;  ///< the section to scroll to in the next frame
  std::string asked_row;                ///< the row whose control is to be focused; empty: none
};

// --- The rows --------------------------------------------------------------------------------------------------------

/// The lecture's value of a setting that the user changed, in words, and a function that restores it.
struct LectureValue {
  std::string text;
  std::function<void()> restore;
};

struct SetupRow {
  std::string_view key;  ///< key in the setup file, by which changes and refusals are found
  std::string_view label;
  float control_width = 124;  ///< the control is at the right; 0 for none
  std::string_view tooltip = {};
  std::string_view label_sub = {};  ///< a subscript after the label
};

/// Returns the setup with the typed text, or why there is none.
using Parse = std::function<Result<Setup>(const Setup& base, const std::string& text)>;

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
  /// The setup of the lecture's step; null without a lecture.
  const Setup* lecture() const { return session_.wanted_step().setup(); }
  SetupPanelMemory& memory() { return memory_; }
  float used() const { return y_ - content_.y; }

  /// The heading of a section, with the reset button for what has no row with a label.
  void section(SetupGroup section, std::string_view title, std::string_view right = {},
               const std::optional<LectureValue>& lecture = std::nullopt);
  void end_section() { y_ += 9; }

  /// A row with the label and `control(rect)`. The button that resets to the lecture's value is between them, so that
  /// nothing moves when it appears. Below is why an edit was refused.
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
  /// A control as wide as the panel, without a label; the reset button is elsewhere.
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
  /// Focuses the row that was asked for, once all rows are there.
  void find_asked_row();
  /// Room as wide as the panel, for anything but the control of one key.
  template <class Content>
  void area(float height, Content&& content) {
    const std::size_t first_item = ui_.memory().tab_order.size();
    const Rect r{left(), y_, width(), height};
    content(r);
    reveal_focus(first_item, r);
    y_ += height;
  }
  /// The button that resets to the lecture's value, in words if there is room, else as an icon. Returns the room that
  /// is left. The reset happens at the end of the row.
  Rect reset_button(Rect room, const LectureValue& lecture);
  float width() const { return content_.w - 2 * padding; }
  /// Of a control in its row.
  float control_height() const { return ui_.reach(28); }

  /// The row of an entry, if it applies. Its control ends `room` before the edge. Returns the control's area.
  Rect entry(const SetupKey& entry, float room = 0);

  /// When what is typed becomes the value.
  enum class Applied : std::uint8_t {
    as_typed,  ///< with every letter
    whole,     ///< once it is typed to the end: with Enter, or by going elsewhere. Escape leaves the value as it was
  };
  /// A text field for a value of `key`, which is applied or refused with a reason.
  TextEdit type(const Rect& r, std::string_view key, const std::string& shown, const TextFieldOptions& options,
                const Parse& parse, Applied applied = Applied::as_typed);

  /// Applies the setup, or keeps the reasons against it. Equal gestures that follow each other are one step of undo.
  bool edit(std::string_view key, const Setup& next, std::string_view gesture = {});
  void refuse(std::string_view key, std::string why, std::optional<Setup> with_draws = {});
  bool refused(std::string_view key) const { return memory_.refusal && memory_.refusal->key == key; }
  /// The lecture's value for a key of the setup file; nullopt if it does not differ.
  std::optional<LectureValue> changed(std::string_view key);
  /// The lecture's value for an entry, which need not be a key of the file.
  std::optional<LectureValue> changed(const SetupKey& entry);
  /// A line under a control that says what it did.
  void note(std::string_view words);

 private:
  static constexpr float padding = 16;

  float left() const { return content_.x + padding; }
  Rect begin(const SetupRow& row, const std::optional<LectureValue>& lecture);
  void end(std::string_view key);
  void offer_play(Rect& room, std::string_view key);
  void number_or_word(const SetupKey& entry, const Control& control);
  void each_number(const SetupKey& entry, const Control& control);
  void apply(const SetupKey& entry, const ControlEdit& edit);
  bool is_held(const SetupKey& entry, const Control& control) const;
  void draw_held(const SetupKey& entry, const Control& control, const Rect& r);
  void note_adapted(const SetupKey& changed_entry, const Setup& before);
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
  std::size_t first_control_ = 0;  ///< and the first that is not the reset button
  Rect row_;

  /// A control that the asked-for row may refer to.
  struct Found {
    ItemId control = 0;
    Rect area;
  };
  void look_for_asked_row(std::string_view key, std::size_t first_item, const Rect& r);
  bool in_asked_section_ = false;
  std::optional<Found> section_start_;  ///< the first control of its section
  std::optional<Found> asked_;
  std::function<void()> restore_;  ///< the reset button that was clicked
};

}  // namespace headlight
