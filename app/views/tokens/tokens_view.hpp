// Who looks at whom, in the centre: query tokens left, key tokens right.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_tokens_view(ViewContext& context, Rect area);

}  // namespace headlight
