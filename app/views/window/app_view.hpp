// Draws the whole app: the frame and a view in each area, or what a small screen or someone else's page has instead.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct Action;

void draw_app(ViewContext& context);
/// Files, undo, lecture, steps, views, finding, exporting, presenting, theme.
void draw_top_bar(ViewContext& context, Rect area);
/// The cost of the last edit, notices, keys.
void draw_status_bar(ViewContext& context, Rect area);

// --- A small screen, such as a phone's -------------------------------------------------------------------------------

/// Draws one column that scrolls over the whole surface: the steps along the top edge, the lecture; below each other
/// the step's title, its words, its picture and its question; at the foot, where the thumb is, back, on, and the
/// answer. On a screen that is held sideways, the picture is beside the words and the buttons are above them. A pinned
/// number opens its explanation as a sheet from below, and the panels that a larger window has beside its view are
/// sheets too.
void draw_column(ViewContext& context);
/// Escape closes an open sheet, unless something in front of it has taken the key.
void finish_column(ViewContext& context);

// --- A single figure, for a frame in someone else's page ------------------------------------------------------------

/// Draws the figure that the display names on the whole surface, at any width: it can be pointed at, clicked and
/// dragged, and has a context menu, but no panels, no words and nothing that scrolls. Near the upper right corner a
/// button shows the whole window instead.
void draw_embedded(ViewContext& context);

/// Whether an action's keys work while the window is a single figure: those that move the cell, choose the head and
/// undo what was done to the figure. All other keys belong to the page around it.
bool works_embedded(const Action& action);

}  // namespace headlight
