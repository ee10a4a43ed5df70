// The bar at the top: files, undo, lecture, steps, views, finding, taking away, presenting, looks.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_top_bar(ViewContext& context, Rect area);

}  // namespace headlight
