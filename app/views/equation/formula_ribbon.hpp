// The formula below the picture. The part that computes the selected tensor is lit, and every part is a link to its
// tensor.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

inline constexpr float formula_ribbon_height = 44;

/// The width that it takes in its smallest type.
float least_formula_width(const ViewContext& context);

void draw_formula_ribbon(ViewContext& context, const Rect& area);

}  // namespace headlight
