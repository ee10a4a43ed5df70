// What lies over the views: command palette, list of keys, cards, notices.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

/// Call it after everything else is drawn, so that the overlays lie on top.
void draw_overlays(ViewContext& context);

}  // namespace headlight
