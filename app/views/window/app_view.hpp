// Draws the whole app: the frame, and a view in each area.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

void draw_app(ViewContext& context);
/// Files, undo, lecture, steps, views, finding, exporting, presenting, theme.
void draw_top_bar(ViewContext& context, Rect area);
/// The cost of the last edit, notices, keys.
void draw_status_bar(ViewContext& context, Rect area);

}  // namespace headlight
