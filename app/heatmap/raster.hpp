// The picture of a slice before colour: one number and kind for each texel that will be drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "app/heatmap/layout.hpp"
#include "app/slices/slice.hpp"

namespace headlight {

/// What a texel that stands for many cells shows of them. The app names the choice beside the picture.
enum class Reduction : std::uint8_t {
  largest_magnitude,  ///< the value furthest from zero; nothing that stands out is lost
  mean,
};

/// What a block of cells comes to. A NaN or else an infinity anywhere in it shows; masked only when all of it is. Of x
/// and −x the positive one shows.
struct Reduced {
  CellKind kind = CellKind::number;
  double value = 0;
  GridCell cell;  ///< the first cell that decides
  friend bool operator==(const Reduced&, const Reduced&) = default;
};
Reduced reduce(const Slice& slice, const GridBlock& block, Reduction reduction);

/// Texels in screen order, top row first.
struct Raster {
  struct Texel {
    float value = 0;
    float kind = 0;  ///< CellKind, as a number that a texture can hold
  };

  Raster(int wide, int high)
      : width(wide), height(high), texels(static_cast<std::size_t>(wide) * static_cast<std::size_t>(high)) {}

  int width;
  int height;
  std::vector<Texel> texels;
  Index cells_read = 0;  ///< from the slice, to make it

  Texel& at(int x, int y) { return texels[place(x, y)]; }
  const Texel& at(int x, int y) const { return texels[place(x, y)]; }

 private:
  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
};

/// What stands for a cell, or for cells that come to this.
Raster::Texel texel_of(CellKind kind, double value);

/// Everything visible of the slice. Never larger than the area in device pixels, whatever the tensor's size.
Raster rasterize(const Slice& slice, const HeatmapLayout& layout, Reduction reduction);

}  // namespace headlight
