// The bar at the top: lecture, steps, views, theme.
#pragma once

#include "app/ui/geometry.hpp"
#include "app/views/view_context.hpp"

namespace headlight {

void draw_top_bar(ViewContext& context, Rect area);

}  // namespace headlight
