// Ctrl+K: find anything by its name and do it.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_palette(ViewContext& context);

}  // namespace headlight
