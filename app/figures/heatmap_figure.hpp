// The selected tensor alone: title, labels, cells, colour bar.
#pragma once

#include "app/ui/geometry.hpp"
#include "app/views/view_context.hpp"

namespace headlight {

/// At the upper left of the area, as large as it fits while cells stay nearly square.
void draw_heatmap_figure(ViewContext& context, const Rect& area);

}  // namespace headlight
