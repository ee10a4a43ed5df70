// The strip above every view, with every tensor, wired as the data flows. A click on a tensor shows it.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

void draw_pipeline_map(ViewContext& context, Rect area);

}  // namespace headlight
