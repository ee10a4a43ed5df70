// What a picture looks like in an area before it is drawn there: whether its cells can carry numbers.
#pragma once

#include <cstdint>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/drawing/canvas.hpp"

namespace headlight {

/// A matrix of at most this many rows and columns is read number by number.
inline constexpr Index most_read = 12;

/// How well the picture can be read.
enum class Cells : std::uint8_t {
  missing,      ///< cut off, or too small to be seen
  unreadable,   ///< numbers do not fit into the cells of some matrix that is read
  tight,        ///< they fit, but with three characters, which may not tell them apart, or fewer than the step chooses
  readable,     ///< they fit with all the characters that they need
  comfortable,  ///< the same in the usual type
};

struct PictureFit {
  Cells cells = Cells::comfortable;
  float pitch = 100;  ///< the size of the smallest cells, as the height of a cell for a number that fits into them

  /// Takes one more matrix of the picture into account.
  void add(const Canvas& canvas, const Heatmap& heatmap);
  /// `characters`: those that its numbers want at least.
  void add(const Canvas& canvas, const HeatmapLayout& layout, int characters = 0);
};

}  // namespace headlight
