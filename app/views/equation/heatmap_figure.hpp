// The figure of the selected tensor alone: title, labels, cells, colour bar.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Draws it at the upper left of the area, as large as fits while cells stay nearly square.
void draw_heatmap_figure(ViewContext& context, const Rect& area);

}  // namespace headlight
