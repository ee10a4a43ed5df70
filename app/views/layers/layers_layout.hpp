// How large the pictures of all heads of all layers are, and where they are.
#pragma once

#include <cstddef>

#include "app/ui/drawing/geometry.hpp"
#include "core/model/shape.hpp"

namespace headlight {

inline constexpr float head_caption = 19;     ///< below each picture
inline constexpr float least_captioned = 64;  ///< pictures that are smaller have no captions

/// A row of squares for each layer, a square for each head. All pictures have the same size.
struct LayersGrid {
  std::size_t layers = 0;
  Index heads = 1;
  float labels = 0;   ///< the width of the layers' names, left of each row
  float picture = 0;  ///< the side of the square that holds a picture
  float across = 0;   ///< from one square to the next
  float down = 0;

  bool captioned() const { return picture >= least_captioned; }
  float height() const { return down * static_cast<float>(layers); }
  Rect row(Point origin, float width, std::size_t layer) const;
  /// The square of a head; `column` counts from the left.
  Rect square(Point origin, std::size_t layer, Index column) const;
};

/// The largest grid of pictures with up to `cells` cells on a side that fits into the width, and into the height if the
/// pictures then have room for captions. If a cell can take a whole number of device pixels, it does.
LayersGrid layers_grid(float width, float height, std::size_t layers, Index heads, Index cells, float canvas_scale);

}  // namespace headlight
