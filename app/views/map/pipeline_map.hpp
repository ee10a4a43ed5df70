// The strip above every view: every tensor, wired as the data flows. A click on one shows it.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_pipeline_map(ViewContext& context, Rect area);

}  // namespace headlight
