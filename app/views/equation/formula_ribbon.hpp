// The formula below the picture: the term that makes the selected tensor lit, every term a link.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

inline constexpr float formula_ribbon_height = 44;

void draw_formula_ribbon(ViewContext& context, const Rect& area);

}  // namespace headlight
