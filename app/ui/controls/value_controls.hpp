// The controls for typing or dragging a value: number field, stepper, slider, text field.
//
// Values are edited in the same way everywhere: a click selects the text, and typing replaces it. Enter or Tab accepts
// the text, Escape restores the value before. Dragging sideways, ↑ and ↓, and the wheel (while the control has the
// focus or Ctrl is held) change the value step by step.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

/// How a value was edited in this frame. A drag is one gesture from `began` to `ended`, and one step of undo.
struct Edited {
  bool changed = false;
  bool began = false;
  bool ended = false;
  /// The typed text, if it is not a number or not in the control's range. The value is unchanged, and the caller shows
  /// why.
  std::optional<std::string> rejected = {};
  explicit operator bool() const { return changed; }
};

/// The words for tooltips.
inline constexpr std::string_view how_to_edit = "Click to type, drag to change; ↑ ↓ and Ctrl+wheel step, Esc restores";

struct NumberFieldOptions {
  bool framed = true;  ///< looks like a field even without typing; otherwise only the text is drawn
  bool invalid = false;
  TextStyle style = TextStyle::number;
  Align align = Align::left;
  std::string_view hint = {};  ///< shown instead of an empty text
  std::string_view tooltip = {};
  std::optional<Rect> typed_in = {};  ///< the area for typing, if it needs more room
  /// The text after some steps upwards, or downwards if negative. Without it the value can only be typed.
  std::function<std::string(const std::string& text, int steps)> step = {};
};
struct FieldEdit {
  std::optional<std::string> text;  ///< the new text, from typing, dragging or stepping
  bool going_on = false;            ///< more of the same edit may follow, as part of one step of undo
  bool ended = false;
};
/// A number, or a word instead. `shown` is drawn, `text` is edited.
FieldEdit number_field(Ui& ui, std::string_view id, const Rect& r, std::string_view shown, const std::string& text,
                       const NumberFieldOptions& options = {});

struct StepperOptions {
  /// The next value in a direction (−1 or +1); by default value ± 1. The result is clamped to the range.
  std::function<long long(long long value, int direction)> step = {};
  std::string_view tooltip = {};
};
/// − value +
Edited stepper(Ui& ui, std::string_view id, const Rect& r, long long& value, long long lo, long long hi,
               const StepperOptions& options = {});

struct SliderOptions {
  bool logarithmic = false;
  double step = 0;                  ///< of the arrow keys; 1/100 of the range by default
  std::optional<double> mark = {};  ///< a tick: the lecture's value
  std::optional<Rect> number = {};  ///< where `text`, the value in words, is drawn and can be edited
  std::string_view text = {};
  bool typed_beyond = false;  ///< a typed number may be outside of the range, and the caller checks it
  std::string_view tooltip = {};
};
/// Ctrl+click on the track also opens the text field. Home and End set the ends of the range.
Edited slider(Ui& ui, std::string_view id, const Rect& r, double& value, double lo, double hi,
              const SliderOptions& options = {});

struct TextFieldOptions {
  TextStyle style = TextStyle::control;
  bool invalid = false;       ///< outlined as an error
  bool focus_now = false;     ///< takes the focus in this frame
  bool completes = false;     ///< while the field has the focus, Tab is left to the caller
  bool caret_at_end = false;  ///< reads `text` again, even while it is edited, and moves the caret to its end
  /// With caret_at_end: selects these bytes instead, from the first up to the second.
  std::optional<std::pair<std::size_t, std::size_t>> selected = {};
  bool select_anew = false;  ///< reads `text` again, and selects all of it
  bool path = false;         ///< a path: without typing, a long one shows its end, with the file's name
  std::string_view hint = {};
};
struct TextEdit {
  bool changed = false;    ///< in this frame
  bool committed = false;  ///< by Enter, or by moving the focus after a change
  bool active = false;
  bool escaped = false;  ///< Escape ended the edit in this frame and restored the text
};
TextEdit text_field(Ui& ui, std::string_view id, const Rect& r, std::string& text,
                    const TextFieldOptions& options = {});

}  // namespace headlight
