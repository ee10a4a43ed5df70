// All heads of a tensor as thumbnails in a column: the same cell ringed in each, the selected head framed.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"
#include "core/model/names.hpp"

namespace headlight {

inline constexpr float head_column_width = 150;

/// A click selects the head.
void draw_head_column(ViewContext& context, const Rect& area, TensorId tensor);

}  // namespace headlight
