// The bars above and below the views.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// At the top: files, undo, lecture, steps, views, finding, exporting, presenting, looks.
void draw_top_bar(ViewContext& context, Rect area);
/// At the bottom: what the last edit cost, notices, keys.
void draw_status_bar(ViewContext& context, Rect area);

}  // namespace headlight
