// The picture of a slice before it is coloured: a number and its kind for each texel.
#pragma once

#include <cstdint>
#include <vector>

#include "app/heatmap/layout.hpp"
#include "app/slices/pyramid.hpp"
#include "app/slices/slice.hpp"

namespace headlight {

/// How a texel combines its cells. The app names the choice beside the picture.
enum class Reduction : std::uint8_t {
  largest_magnitude,  ///< the value furthest from zero, so that no outlier is lost
  mean,
};

/// A block of cells reduced to one number. A NaN in the block wins, then an infinity. The block is masked only if all
/// its cells are. Between x and −x the positive one wins.
struct Reduced {
  CellKind kind = CellKind::number;
  double value = 0;
  GridCell cell;  ///< the first cell with this value
  friend bool operator==(const Reduced&, const Reduced&) = default;
};
Reduced reduce(const Slice& slice, const GridBlock& block, Reduction reduction);

/// Texels in screen order, top row first.
struct Raster {
  struct Texel {
    double value = 0;  ///< 0 unless it is a number
    CellKind kind = CellKind::number;
  };

  Raster(int wide, int high)
      : width(wide), height(high), texels(static_cast<std::size_t>(wide) * static_cast<std::size_t>(high)) {}

  int width;
  int height;
  std::vector<Texel> texels;
  Index cells_read = 0;  ///< cells of the slice that were read for the raster

  Texel& at(int x, int y) { return texels[index_of(x, y)]; }
  const Texel& at(int x, int y) const { return texels[index_of(x, y)]; }

 private:
  std::size_t index_of(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
};

/// The texel for a cell, or for a reduced block of cells, of this kind and value.
Raster::Texel texel_of(CellKind kind, double value);

/// The visible part of the slice. Never larger than the area in device pixels, whatever the size of the tensor.
Raster rasterize(const Slice& slice, const HeatmapLayout& layout, Reduction reduction);
/// The same for the pyramid's slice, from its blocks, with Reduction::largest_magnitude. It reads at most 16 × 16 cells
/// or blocks for a texel.
Raster rasterize(Pyramid& pyramid, const HeatmapLayout& layout, Threads& threads);

}  // namespace headlight
