// Draws a Control (core/setup/control.hpp), whatever its kind, and tells what a person made of it.
#pragma once

#include <optional>

#include "app/ui/controls/value_controls.hpp"
#include "app/ui/ui.hpp"
#include "core/setup/control.hpp"

namespace headlight {

struct ControlEdit {
  std::optional<ControlInput> input = {};
  bool is_gesture = false;  ///< more of the same may follow; all of it is one step of undo
  bool ended = false;       ///< the gesture
  explicit operator bool() const { return input.has_value(); }
};

/// The width that suits a control, at the right of its row.
float control_width(const Canvas& canvas, const Control& control);

/// A flag is a switch; few short words stand side by side, more of them are a list; a whole number has a stepper, or
/// the only numbers that fit side by side; a number with a travel that suits it has a slider, every other one a field;
/// a number that is as good as any other (a seed) also has a die. The id is the control's name. Of number_or_word only
/// the field is drawn. `invalid` outlines a field.
ControlEdit draw_control(Ui& ui, const Rect& r, const Control& control, bool invalid = false);

/// What a control does, with what its chosen word means.
std::string tooltip_of(const Control& control);

}  // namespace headlight
