// The whole picture: the frame, and in each area the view that belongs there.
#pragma once

#include "app/views/view_context.hpp"

namespace headlight {

void draw_app(ViewContext& context);

}  // namespace headlight
