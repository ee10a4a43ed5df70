// The strip above every view: every tensor, wired as the data flows. A click on one shows it.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

void draw_pipeline_map(ViewContext& context, Rect area);

/// The room that the switch takes of a map of this size.
float direction_switch_width(const Rect& map);

/// Only where the setup has a task.
void draw_direction_switch(ViewContext& context, Rect area);

}  // namespace headlight
