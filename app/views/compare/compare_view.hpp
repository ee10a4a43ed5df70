// The compare view: states A and B and their difference, in the centre.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_compare_view(ViewContext& context, Rect area);

}  // namespace headlight
