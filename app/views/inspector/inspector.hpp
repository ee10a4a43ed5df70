// The panel at the right: where the cell comes from, where it goes, and its tensor's statistics.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_inspector(ViewContext& context, Rect area);

}  // namespace headlight
