// The panel beside the heads: the number under the mouse, who looks at whom in its head, how alike the heads are.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// In place of the inspector.
void draw_heads_panel(ViewContext& context, Rect area);

}  // namespace headlight
