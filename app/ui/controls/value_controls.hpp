// The controls that a value is typed or dragged in: number field, stepper, slider, text field.
//
// Values are edited in the same way everywhere: a click selects the text, and typing replaces it; Enter or Tab takes
// what was typed, Escape brings back what was there. Dragging sideways, ↑ and ↓, and the wheel (while the control has
// the keyboard or Ctrl is held) change the value step by step.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

/// What happened to a value in this frame. A drag is one gesture from `began` to `ended`, and one step of undo.
struct Edited {
  bool changed = false;
  bool began = false;
  bool ended = false;
  /// The typed text, if it is no number or the control cannot hold it: say so beside the control. The value is kept.
  std::optional<std::string> rejected = {};
  explicit operator bool() const { return changed; }
};

/// The words for tooltips.
inline constexpr std::string_view how_to_edit = "Click to type, drag to change; ↑ ↓ and Ctrl+wheel step, Esc restores";

struct NumberFieldOptions {
  bool enabled = true;
  bool framed = true;  ///< looks like a field while nobody types; otherwise only the text shows
  bool invalid = false;
  TextStyle style = TextStyle::number;
  Align align = Align::left;
  std::string_view hint = {};  ///< instead of an empty text
  std::string_view tooltip = {};
  std::optional<Rect> typed_in = {};  ///< where the text is typed, if that needs more room
  /// The text after some steps upwards (or downwards, negative). Without it the value can only be typed.
  std::function<std::string(const std::string& text, int steps)> step = {};
};
struct FieldEdit {
  std::optional<std::string> text;  ///< the new text: typed, dragged or stepped to
  bool going_on = false;            ///< more of the same edit may follow, as part of one step of undo
  bool ended = false;
};
/// A number, or a word in its place. `shown` is what is seen, `text` what is edited.
FieldEdit number_field(Ui& ui, std::string_view id, const Rect& r, std::string_view shown, const std::string& text,
                       const NumberFieldOptions& options = {});

struct StepperOptions {
  bool enabled = true;
  /// The next value in a direction (−1 or +1); by default value ± 1. The result is clamped to the range.
  std::function<long long(long long value, int direction)> step = {};
  std::string_view tooltip = {};
};
/// − value +
Edited stepper(Ui& ui, std::string_view id, const Rect& r, long long& value, long long lo, long long hi,
               const StepperOptions& options = {});

struct SliderOptions {
  bool enabled = true;
  bool logarithmic = false;
  double step = 0;                  ///< of the arrow keys; 1/100 of the range by default
  std::optional<double> mark = {};  ///< a tick: the lecture's value
  std::optional<Rect> number = {};  ///< where `text`, the value in words, is and can be edited
  std::string_view text = {};
  bool typed_beyond = false;  ///< a typed number may be outside the range: the caller judges it
  std::string_view tooltip = {};
};
/// Ctrl+click on the track also types, Home and End go to the ends.
Edited slider(Ui& ui, std::string_view id, const Rect& r, double& value, double lo, double hi,
              const SliderOptions& options = {});

struct TextFieldOptions {
  TextStyle style = TextStyle::control;
  bool enabled = true;
  bool invalid = false;       ///< outlined as an error
  bool focus_now = false;     ///< takes the keyboard in this frame
  bool completes = false;     ///< while the field has the keyboard, Tab is left to the caller
  bool caret_at_end = false;  ///< reads `text` anew, even while it is edited, and puts the caret at its end
  /// With caret_at_end: selects these bytes instead, from the first to before the second.
  std::optional<std::pair<std::size_t, std::size_t>> selected = {};
  bool select_anew = false;  ///< reads `text` anew, and selects all of it
  bool path = false;         ///< a path: while nobody types, a long one shows its end, with the file's name
  std::string_view hint = {};
};
struct TextEdit {
  bool changed = false;    ///< in this frame
  bool committed = false;  ///< Enter, or the keyboard went elsewhere after a change
  bool active = false;
  bool escaped = false;  ///< Escape ended it in this frame; the text is again what it was
};
TextEdit text_field(Ui& ui, std::string_view id, const Rect& r, std::string& text,
                    const TextFieldOptions& options = {});

}  // namespace headlight
