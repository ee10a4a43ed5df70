// The picture of splitting into heads or joining them: one wide tensor, and the same numbers as one matrix per head.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/tensors/picture_fit.hpp"

namespace headlight {

void draw_pieces(ViewContext& context, const Rect& area, const Equation& equation, const PictureStyle& style);
PictureFit pieces_fit(const ViewContext& context, const Rect& area, const Equation& equation,
                      const PictureStyle& style);

}  // namespace headlight
