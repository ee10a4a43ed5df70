// Runs actions for keys, buttons, menus and the palette.
#pragma once

#include "app/session/actions/actions.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Runs the action if it is enabled. What depends on the room in the window, such as which panel is folded, only the
/// views can do; everything else the session does. Returns whether it ran.
bool perform(ViewContext& context, const Action& action);
/// The same for the thing that a context menu was opened on.
bool perform(ViewContext& context, const Action& action, const Target& target);

}  // namespace headlight
