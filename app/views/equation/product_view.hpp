// The picture of a matrix product: left operand at the lower left, right operand at the upper right, result where they
// cross.
#pragma once

#include "app/views/base/view_context.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/story/arrangement.hpp"

namespace headlight {

/// Words in the quadrant that the operands leave empty get as much of it as they need, as far as the cells of the
/// result stay readable.
PictureFit fit_product(const ViewContext& context, const Equation& equation, Arrangement& arrangement,
                       const Story& story);
void draw_product(ViewContext& context, const Equation& equation, const Arrangement& arrangement);

}  // namespace headlight
