// The panel of somebody who writes a lecture: its steps, and the text of the one that is shown.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

constexpr float author_panel_width = 440;

/// Whether the lecture that is shown is being written.
bool writes(const ViewContext& context);

void draw_author_panel(ViewContext& context, Rect area);

}  // namespace headlight
