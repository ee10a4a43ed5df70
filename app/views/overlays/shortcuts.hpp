// F1: every action with its keys.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_shortcuts(ViewContext& context);

}  // namespace headlight
