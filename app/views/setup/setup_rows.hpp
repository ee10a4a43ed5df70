// The rows of the setup panel: label, a button that resets to the lecture's value if it differs, control, and why an
// edit was refused.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/boxes/box.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/entry_control.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/setup/setup_memory.hpp"
#include "core/setup/keys.hpp"

namespace headlight {

/// The lecture's value of a setting that the user changed, in words, and a function that restores it.
struct LectureValue {
  std::string text;
  std::function<void()> restore;
};

struct SetupRow {
  std::string key;  ///< key in the setup file, by which changes and refusals are found
  std::string label;
  float control_width = 124;  ///< the control is at the right
  float may_shrink = 0;       ///< by this much, so that label and buttons have room beside it
  std::string tooltip = {};
  std::string label_sub = {};  ///< a subscript after the label
};

/// Returns the setup with the typed text, or why there is none.
using Parse = std::function<Result<Setup>(const Setup& base, const std::string& text)>;

/// Makes the panel's rows from the top down, then draws them and applies their edits. One object per frame: what it
/// makes refers to it. An edit shows in the next frame.
class SetupRows {
 public:
  SetupRows(ViewContext& context, float width);
  SetupRows(const SetupRows&) = delete;
  SetupRows& operator=(const SetupRows&) = delete;

  ViewContext& context() { return context_; }
  Ui& ui() { return ui_; }
  const Canvas& canvas() const { return canvas_; }
  const Theme& theme() const { return ui_.theme(); }
  Session& session() { return session_; }
  const Setup& setup() const { return session_.wanted(); }
  /// The setup of the lecture's step; null without a lecture.
  const Setup* lecture() const { return session_.wanted_step().setup(); }
  SetupPanelMemory& memory() { return memory_; }

  /// What a part of the panel does where it is drawn.
  using Draw = std::function<void(const Rect& r)>;

  /// The heading of a section, with the reset button for what has no row with a label.
  void section(SetupGroup section, std::string_view title, std::string right = {},
               const std::optional<LectureValue>& lecture = std::nullopt);
  void end_section() { add(space(9)); }
  /// A row with the label and a control. The button that resets to the lecture's value is between them, so that nothing
  /// moves when it appears. Where the label and the control have no room beside each other, the control is below. Then
  /// comes why an edit was refused.
  void row(SetupRow row, Draw control);
  void row(SetupRow row, const std::optional<LectureValue>& lecture, Draw control);
  /// A control as wide as the panel, without a label; the reset button is elsewhere.
  void block(std::string key, float height, Draw control);
  /// Anything but the control of one key, as wide as the panel.
  void add(Box box) { all_.push_back(std::move(box)); }
  void area(float height, Draw content);
  /// A line under a control that says what it did.
  void note(std::string words);
  /// The row of an entry, if it applies. Its control ends `room` before the edge.
  void entry(const SetupKey& entry, float room = 0);
  /// Where the control of an entry was drawn in this frame, with its room.
  Rect drawn_at(std::string_view entry) const;

  /// Draws all that was made, in an area that scrolls.
  void draw_in(const Rect& area);

  /// Draws the button that resets to the lecture's value, in words if there is room, else as an icon.
  void reset_button(const Rect& r, const LectureValue& lecture);
  float width() const { return width_; }
  /// Of a control in its row.
  float control_height() const { return ui_.reach(28); }

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

 private:
  Box reset_box(const LectureValue& lecture);
  Box label_of(const SetupRow& row);
  Box play_box(std::string key);
  Box adapted_note(std::string_view key);
  /// Below a control: why its edit was refused.
  Box refusal_of(std::string_view key);
  /// A box with the controls of a key: with a dot where it differs from the lecture. It comes into sight with the
  /// focus, and is found when it is asked for.
  Box row_of(std::string key, Box box, bool differs);
  void number_or_word(const SetupKey& entry, const Control& control);
  void each_number(const SetupKey& entry, const Control& control);
  void apply(const SetupKey& entry, const ControlEdit& edit);
  bool is_held(const SetupKey& entry, const Control& control) const;
  void draw_held(const SetupKey& entry, const Control& control, const Rect& r);
  void note_adapted(const SetupKey& changed_entry, const Setup& before);
  void look_for_asked_row(std::string_view key, std::size_t first_item, const Rect& r);
  void find_asked_row();

  ViewContext& context_;
  Ui& ui_;
  Session& session_;
  SetupPanelMemory& memory_;
  Canvas canvas_;
  float width_;
  std::vector<Change> changes_;
  Boxes all_;

  // While it is drawn
  /// A control that the asked-for row may refer to.
  struct Found {
    ItemId control = 0;
    Rect area;
  };
  ScrollArea* scroll_ = nullptr;
  std::size_t first_control_ = 0;  ///< the row's first item in the order of Tab that is not the reset button
  bool on_row_ = false;            ///< whether the mouse is on the row
  std::vector<std::pair<std::string_view, Rect>> drawn_at_;
  bool in_asked_section_ = false;
  std::optional<Found> section_start_;  ///< the first control of its section
  std::optional<Found> asked_;
};

}  // namespace headlight
