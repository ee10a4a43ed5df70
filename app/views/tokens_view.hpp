// Who looks at whom, in the centre: query tokens left, key tokens right.
#pragma once

#include "app/ui/geometry.hpp"
#include "app/views/view_context.hpp"

namespace headlight {

void draw_tokens_view(ViewContext& context, Rect area);

}  // namespace headlight
