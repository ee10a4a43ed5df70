// The controls, in the design's look: immediate mode, each in its rectangle, in design pixels. Every one can
// be reached with Tab and worked with Enter, Space and the arrow keys. Heights are 28 unless the caller says otherwise.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

/// What an edit came to in this frame. A drag is one gesture from `began` to `ended`, and one step to undo.
struct Edited {
  bool changed = false;
  bool began = false;
  bool ended = false;
  /// What was typed, where that is no number, or one that the control cannot hold: say why beside it. Nothing changed.
  std::optional<std::string> rejected = {};
  explicit operator bool() const { return changed; }
};

enum class ButtonKind : std::uint8_t { normal, primary, quiet };

struct ButtonOptions {
  ButtonKind kind = ButtonKind::normal;
  bool enabled = true;
  bool selected = false;          ///< a button that stays down
  std::string_view tooltip = {};  ///< for a disabled button: why
  std::string_view keys = {};     ///< what does the same, for the tooltip
};

bool button(Ui& ui, std::string_view id, const Rect& r, std::string_view label, const ButtonOptions& options = {});
bool icon_button(Ui& ui, std::string_view id, const Rect& r, Icon icon, const ButtonOptions& options = {});

struct ChoiceOptions {
  bool mono = false;  ///< the labels are numbers
  bool enabled = true;
  bool changed = false;  ///< differs from the lecture: a select shows the dot
  std::string_view tooltip = {};
};

/// One of a few, side by side.
bool segmented(Ui& ui, std::string_view id, const Rect& r, std::span<const std::string_view> labels, int& index,
               const ChoiceOptions& options = {});
/// One of many, in a list that drops down.
bool select(Ui& ui, std::string_view id, const Rect& r, std::span<const std::string> items, int& index,
            const ChoiceOptions& options = {});
/// The views: words in a row, the chosen one underlined with the lamp. Returns true when another one was chosen.
/// They start 12 left of `r`, so that the first word stands at its edge.
bool tabs(Ui& ui, std::string_view id, const Rect& r, std::span<const std::string_view> labels, int& index,
          float gap = 34);

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

bool toggle(Ui& ui, std::string_view id, Point top_left, bool& on, bool enabled = true);
constexpr float toggle_width = 32;
constexpr float toggle_height = 18;

struct TextFieldOptions {
  TextStyle style = TextStyle::control;
  bool enabled = true;
  bool invalid = false;       ///< outlined as an error
  bool focus_now = false;     ///< takes the keyboard in this frame
  bool completes = false;     ///< Tab is left to the caller while it has the keyboard
  bool caret_at_end = false;  ///< takes the text as it now is and puts the caret behind it, also while it is edited
  bool path = false;          ///< while nobody types in it, a long one shows its end, where the file's name is
  std::string_view hint = {};
};
struct TextEdit {
  bool changed = false;    ///< in this frame
  bool committed = false;  ///< Enter, or the keyboard went elsewhere after a change
  bool active = false;
};
TextEdit text_field(Ui& ui, std::string_view id, const Rect& r, std::string& text,
                    const TextFieldOptions& options = {});

/// A token or a filter, as wide as chip_width says.
bool chip(Ui& ui, std::string_view id, const Rect& r, std::string_view label, bool selected = false);
float chip_width(const Canvas& canvas, std::string_view label);

/// A panel's section: rule on top, title, quiet words at the right; 36 high.
void section_header(const Canvas& canvas, const Rect& row, std::string_view title, std::string_view right = {});
/// "lecture: 2" with the arrow that brings it back; returns true when pressed. The dot at the label is changed_dot.
bool changed_note(Ui& ui, std::string_view id, Point baseline, std::string_view lecture_value);
void changed_dot(const Canvas& canvas, Point center);
/// A key as it is drawn in the status bar; returns the width. `baseline` is that of the words beside it.
float key_cap(const Canvas& canvas, Point baseline, std::string_view key);
float key_cap_width(const Canvas& canvas, std::string_view key);

}  // namespace headlight
