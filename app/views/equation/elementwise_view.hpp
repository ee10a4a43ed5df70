// The picture of an operation on each cell: the tensor before and after side by side, with the operation between them.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/tensors/picture_fit.hpp"

namespace headlight {

void draw_elementwise(ViewContext& context, const Rect& area, const Equation& equation, const PictureStyle& style);
PictureFit elementwise_fit(const ViewContext& context, const Rect& area, const Equation& equation,
                           const PictureStyle& style);

/// Draws a tensor that is made from no other alone.
void draw_alone(ViewContext& context, const Rect& area, const Equation& equation);
PictureFit alone_fit(const ViewContext& context, const Rect& area, const Equation& equation);

}  // namespace headlight
