// The shapes view in the centre: a table of every tensor's axes, their extents, its numbers and its memory.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// A click on a row selects its tensor.
void draw_shapes_view(ViewContext& context, Rect area);

}  // namespace headlight
