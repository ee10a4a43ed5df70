// The pictures of an equation, by the kind of its operation. Each can say how well it fits an area before it is drawn.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/equation/equation_parts.hpp"
#include "app/views/story/arrangement.hpp"

namespace headlight {

/// A matrix product: left operand at the lower left, right operand at the upper right, result where they cross. Words
/// in the quadrant that the operands leave empty get as much of it as they need, as far as the cells of the result stay
/// readable.
PictureFit fit_product(const ViewContext& context, const EquationPictures& pictures, Arrangement& arrangement,
                       const Story& story);
void draw_product(ViewContext& context, const Equation& equation, EquationPictures pictures,
                  const Arrangement& arrangement);

/// An operation on each cell: the tensor before and after side by side, with the operation between them.
PictureFit fit_elementwise(const ViewContext& context, const EquationPictures& pictures,
                           const Arrangement& arrangement);
void draw_elementwise(ViewContext& context, const Equation& equation, EquationPictures pictures,
                      const Arrangement& arrangement);

/// Splitting into heads or joining them: one wide tensor, and the same numbers as one matrix per head.
PictureFit fit_pieces(const ViewContext& context, const EquationPictures& pictures, const Arrangement& arrangement);
void draw_pieces(ViewContext& context, const EquationPictures& pictures, const Arrangement& arrangement);

/// A tensor that is made from no other.
PictureFit fit_alone(const ViewContext& context, const EquationPictures& pictures, const Rect& area);
void draw_alone(ViewContext& context, const EquationPictures& pictures, const Rect& area);

}  // namespace headlight
