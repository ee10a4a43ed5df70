// All heads side by side, in the centre, and what one head does, in the panel at the right.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_heads_view(ViewContext& context, Rect area);
/// In place of the inspector: the selected weight, who looks at whom in its head, how alike the heads are.
void draw_heads_panel(ViewContext& context, Rect area);

}  // namespace headlight
