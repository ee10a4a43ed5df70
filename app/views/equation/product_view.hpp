// The picture of a matrix product: left operand at the lower left, right operand at the upper right, result where they
// cross.
#pragma once

#include <cstdint>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// Where a product's story stands: in the quadrant that the operands leave empty, or outside of the picture.
enum class StoryPlace : std::uint8_t { quadrant, elsewhere };

void draw_product(ViewContext& context, const Rect& area, const Equation& equation, StoryPlace story);

/// Whether the quadrant that the operands leave empty is large enough for the story.
bool story_fits_quadrant(ViewContext& context, const Rect& area, const Equation& equation);

}  // namespace headlight
