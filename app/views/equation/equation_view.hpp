// The pipeline view: the picture that explains the selected tensor, with narration and formula.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

void draw_equation_view(ViewContext& context, Rect area);

}  // namespace headlight
