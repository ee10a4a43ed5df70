// The picture of splitting into heads or joining them: one wide tensor, and the same numbers as one matrix per head.
#pragma once

#include "app/views/base/view_context.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/story/arrangement.hpp"

namespace headlight {

PictureFit fit_pieces(const ViewContext& context, const Equation& equation, const Arrangement& arrangement);
void draw_pieces(ViewContext& context, const Equation& equation, const Arrangement& arrangement);

}  // namespace headlight
