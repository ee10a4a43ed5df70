// A heatmap as shapes, for vector formats.
#pragma once

#include "app/heatmap/heatmap.hpp"

namespace headlight {

/// Up to this many visible cells are recorded as rectangles. More are one image with a pixel for each cell, or, where
/// cells are smaller than a device pixel, for each block that the reduction joins.
inline constexpr Index most_cell_shapes = 4096;

/// Puts what HeatmapRenderer draws on the canvas's record: the same colours, the same reduction.
void record(const Canvas& canvas, const Heatmap& heatmap);

}  // namespace headlight
