// The cells of a slice in blocks of 2, 4, 8, ..., each already reduced: a small picture of a large tensor reads no more
// numbers than its pixels call for.
#pragma once

#include <memory>

#include "app/heatmap/layout.hpp"
#include "app/heatmap/raster.hpp"
#include "app/heatmap/slice.hpp"

namespace headlight {

/// Keeps the blocks of one slice, reduced to their largest magnitude, and not the slice: whoever asks brings it, the
/// same each time. A size of blocks is worked out when a layout first needs it, from the next smaller one.
class Pyramid {
 public:
  Pyramid();
  ~Pyramid();
  Pyramid(Pyramid&&) noexcept;
  Pyramid& operator=(Pyramid&&) noexcept;

  /// What rasterize() gives with Reduction::largest_magnitude, reading at most 16 × 16 numbers for each texel.
  Raster rasterize(const Slice& slice, const HeatmapLayout& layout);
  /// Cells read from slices so far: for tests.
  Index cells_read() const;

 private:
  struct Levels;
  std::unique_ptr<Levels> levels_;
};

}  // namespace headlight
