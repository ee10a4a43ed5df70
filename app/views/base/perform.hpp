// Runs actions for keys, buttons, menus and the palette.
#pragma once

#include "app/session/actions/actions.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Runs the action if it is enabled. The session does everything except what depends on the room in the window, such as
/// folding panels. Returns whether it ran.
bool perform(ViewContext& context, const Action& action);
/// The same for the target of a context menu.
bool perform(ViewContext& context, const Action& action, const Target& target);

}  // namespace headlight
