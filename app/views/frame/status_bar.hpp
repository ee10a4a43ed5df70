// The status bar at the bottom: what the last edit cost, notices, keys.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_status_bar(ViewContext& context, Rect area);

}  // namespace headlight
