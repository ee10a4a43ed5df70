// The picture of an operation on each cell: the tensor before and after side by side, with the operation between them.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/story/arrangement.hpp"

namespace headlight {

PictureFit fit_elementwise(const ViewContext& context, const Equation& equation, const Arrangement& arrangement);
void draw_elementwise(ViewContext& context, const Equation& equation, const Arrangement& arrangement);

/// A tensor that is made from no other is drawn alone.
PictureFit fit_alone(const ViewContext& context, const Equation& equation, const Rect& area);
void draw_alone(ViewContext& context, const Equation& equation, const Rect& area);

}  // namespace headlight
