// The picture of a large slice, from the blocks of its pyramid.
#pragma once

#include "app/heatmap/raster.hpp"
#include "app/slices/pyramid.hpp"

namespace headlight {

/// rasterize() of the pyramid's slice with Reduction::largest_magnitude. It reads at most 16 × 16 cells or blocks for a
/// texel.
Raster rasterize(Pyramid& pyramid, const HeatmapLayout& layout, Threads& threads);

}  // namespace headlight
