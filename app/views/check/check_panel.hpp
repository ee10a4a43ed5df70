// What is checked, at the left: the file, which array is which tensor, and how near is near enough.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_check_panel(ViewContext& context, Rect area);

}  // namespace headlight
