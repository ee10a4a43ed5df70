// The switch that turns the window: forward, the numbers; or backward, their gradients.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// The room that the switch takes of a map of this size.
float direction_switch_width(const Rect& map);

/// Only where the setup has a task.
void draw_direction_switch(ViewContext& context, Rect area);

}  // namespace headlight
