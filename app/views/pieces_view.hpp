// Splitting into heads and joining them again: one wide tensor, and the same numbers as a matrix per head.
#pragma once

#include "app/ui/geometry.hpp"
#include "app/views/equation.hpp"
#include "app/views/view_context.hpp"

namespace headlight {

void draw_pieces(ViewContext& context, const Rect& area, const Equation& equation);

}  // namespace headlight
