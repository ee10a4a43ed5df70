// What lies over the views: command palette, list of keys, cards, notices.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

/// After everything else, so that it lies on top.
void draw_overlays(ViewContext& context);

}  // namespace headlight
