// The panel beside the heads: the number under the mouse, the attention of its head as lines, how similar the heads
// are.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// Draws the panel, which stands in place of the inspector.
void draw_heads_panel(ViewContext& context, Rect area);

}  // namespace headlight
