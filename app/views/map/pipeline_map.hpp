// The strip at the top of the pipeline view: every tensor, wired as the data flows.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_pipeline_map(ViewContext& context, Rect area);

}  // namespace headlight
