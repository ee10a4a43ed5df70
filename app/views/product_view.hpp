// A matrix product as it is computed: left operand lower left, right operand upper right, result where they cross.
#pragma once

#include "app/ui/geometry.hpp"
#include "app/views/equation.hpp"
#include "app/views/view_context.hpp"

namespace headlight {

void draw_product(ViewContext& context, const Rect& area, const Equation& equation);

}  // namespace headlight
