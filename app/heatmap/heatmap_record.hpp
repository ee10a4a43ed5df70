// A heatmap as shapes, for vector formats.
#pragma once

#include "app/heatmap/heatmap.hpp"

namespace headlight {

/// Up to this many visible cells are recorded as rectangles. More become one image with a pixel for each cell, or for
/// each reduced block if cells are smaller than a device pixel.
inline constexpr Index most_cell_shapes = 4096;

/// Adds to the canvas's record what HeatmapRenderer draws, with the same colours and the same reduction.
void record(const Canvas& canvas, const Heatmap& heatmap);

}  // namespace headlight
