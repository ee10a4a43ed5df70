// The view of all heads side by side, in the centre.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_heads_view(ViewContext& context, Rect area);

}  // namespace headlight
