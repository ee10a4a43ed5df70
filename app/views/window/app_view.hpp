// Draws the whole app: the frame and a view in each area, or what a small screen or someone else's page has instead.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

void draw_app(ViewContext& context);
/// Files, undo, lecture, steps, views, finding, exporting, presenting, theme.
void draw_top_bar(ViewContext& context, Rect area);
/// The cost of the last edit, notices, keys.
void draw_status_bar(ViewContext& context, Rect area);

// --- A lesson --------------------------------------------------------------------------------------------------------

/// The room, in design pixels, that a lesson is made for. A larger window has larger type rather than more room.
inline constexpr Point lesson_room{1138, 640};

/// Draws a step of a lecture over the whole surface, and nothing else: its title, its words, its picture and its
/// question. Where there is room the picture is beside the words, and below it is a line about the number that is
/// pointed at; the buttons are below both. On a screen that is held sideways the buttons are above. On a narrow one
/// everything is in a column that scrolls, and back, on and the answer are at the foot, where the thumb is. The panels
/// that the workbench has beside its view are sheets, as is the explanation of a pinned number on a small screen.
void draw_lesson(ViewContext& context);
/// Escape closes an open sheet, unless something in front of it has taken the key.
void finish_lesson(ViewContext& context);

// --- A single figure, for a frame in someone else's page ------------------------------------------------------------

/// Draws the figure that the display names on the whole surface, at any width: it can be pointed at, clicked and
/// dragged, and has a context menu, but no panels, no words and nothing that scrolls. Near the upper right corner a
/// button shows the whole window instead.
void draw_embedded(ViewContext& context);

}  // namespace headlight
