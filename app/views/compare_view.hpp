// States A and B and their difference, in the centre.
#pragma once

#include "app/ui/geometry.hpp"
#include "app/views/view_context.hpp"

namespace headlight {

void draw_compare_view(ViewContext& context, Rect area);

}  // namespace headlight
