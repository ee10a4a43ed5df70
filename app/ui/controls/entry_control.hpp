// Draws a Control (core/setup/control.hpp) of any kind, and returns the user's edit.
#pragma once

#include <optional>

#include "app/ui/controls/value_controls.hpp"
#include "app/ui/ui.hpp"
#include "core/setup/control.hpp"

namespace headlight {

struct ControlEdit {
  std::optional<ControlInput> input = {};
  bool is_gesture = false;  ///< more edits of the gesture may follow, as one step of undo
  bool ended = false;       ///< the gesture has ended
  explicit operator bool() const { return input.has_value(); }
};

/// The width of a control at the right of its row.
float control_width(const Ui& ui, const Control& control);
/// The least that it can do with: less for a slider and for a list.
float least_control_width(const Ui& ui, const Control& control);

/// A flag is a switch. Words are side by side if there is room, else a list. A whole number has a stepper, or the
/// only possible numbers side by side. A number with a suitable travel has a slider, or its few values side by side;
/// any other one a field, and a seed also has a die. The id is the control's name. Of number_or_word only the field is
/// drawn. `invalid` outlines a field.
ControlEdit draw_control(Ui& ui, const Rect& r, const Control& control, bool invalid = false);

/// The control's help, with that of its chosen word.
std::string tooltip_of(const Control& control);

}  // namespace headlight
