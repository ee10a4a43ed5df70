// The controls that a value is typed or dragged in: stepper, slider, text field.
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

struct StepperOptions {
  bool enabled = true;
  /// The next value in a direction (−1 or +1); by default value ± 1. The result is clamped to the range.
  std::function<long long(long long value, int direction)> step = {};
  std::string_view tooltip = {};
};
/// − value +. The value can be typed after a double click, or Enter with the keyboard.
Edited stepper(Ui& ui, std::string_view id, const Rect& r, long long& value, long long lo, long long hi,
               const StepperOptions& options = {});

struct SliderOptions {
  bool enabled = true;
  bool logarithmic = false;
  double step = 0;                  ///< of the arrow keys; 1/100 of the range by default
  std::optional<double> mark = {};  ///< a tick: the lecture's value
  bool typed_beyond = false;        ///< a typed number may lie outside the range: the caller judges it
  std::string_view tooltip = {};
};
/// Drag, arrow keys, or Ctrl+click (also a double click) to type an exact value.
Edited slider(Ui& ui, std::string_view id, const Rect& r, double& value, double lo, double hi,
              const SliderOptions& options = {});

struct TextFieldOptions {
  TextStyle style = TextStyle::control;
  bool enabled = true;
  bool invalid = false;       ///< outlined as an error
  bool focus_now = false;     ///< takes the keyboard in this frame
  bool completes = false;     ///< while the field has the keyboard, Tab is left to the caller
  bool caret_at_end = false;  ///< reads `text` anew, even while it is edited, and puts the caret at its end
  bool path = false;          ///< a path: while nobody types, a long one shows its end, with the file's name
  std::string_view hint = {};
};
struct TextEdit {
  bool changed = false;    ///< in this frame
  bool committed = false;  ///< Enter, or the keyboard went elsewhere after a change
  bool active = false;
};
TextEdit text_field(Ui& ui, std::string_view id, const Rect& r, std::string& text,
                    const TextFieldOptions& options = {});

}  // namespace headlight
