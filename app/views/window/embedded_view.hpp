// A single figure, for a frame in somebody else's page.
#pragma once

#include "app/views/base/view_context.hpp"

namespace headlight {

struct Action;

/// Draws the figure that the display names on the whole surface, at any width: it can be pointed at, clicked and
/// dragged, and has a context menu, but no panels, no words and nothing that scrolls. Near the upper right corner a
/// button shows the whole window instead.
void draw_embedded(ViewContext& context);

/// Whether an action's keys work while the window is a single figure: those that move the cell, choose the head and
/// undo what was done to the figure. All other keys belong to the page around it.
bool works_embedded(const Action& action);

}  // namespace headlight
