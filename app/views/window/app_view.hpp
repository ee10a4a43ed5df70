// Draws the whole app: the frame, and in each area the view that belongs there.
#pragma once

#include "app/session/display/display.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

void draw_app(ViewContext& context);
/// One view alone, as the centre shows it.
void draw_view(ViewContext& context, const Rect& area, View view);

}  // namespace headlight
