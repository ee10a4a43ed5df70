// What explains a difference in somebody's work, at the right: the mistake, its evidence, the line that mends it, and
// what else was tried.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_diagnosis_panel(ViewContext& context, Rect area);

}  // namespace headlight
