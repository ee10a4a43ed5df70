// The stage: what a class sees while somebody presents. The lecture's step, its picture, and nothing else.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// The stage in design pixels. It is scaled until it just fits the screen: on 1280 × 720 everything is drawn twice as
/// large as in a window, so that the smallest type, of 12 design pixels, has the 24 that a hall can read.
inline constexpr Point slide_size{640, 360};

/// Draws the stage over the whole surface: the steps along the top edge, the title, the view with its story, the code
/// below; or a black screen.
void draw_slide(ViewContext& context);

}  // namespace headlight
