// What a picture looks like in an area before it is drawn there: whether its cells can carry numbers.
#pragma once

#include <cstdint>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/drawing/canvas.hpp"

namespace headlight {

/// A matrix of at most this many rows and columns is read number by number.
inline constexpr Index most_read = 12;

/// How the picture can be read: it is cut off, or too small to be seen; some matrix that is read carries no numbers;
/// all carry them, but of three characters, which may not tell them apart, or of fewer than the step chooses; all carry
/// as many as they want; all carry them in the usual type.
enum class Cells : std::uint8_t { missing, unreadable, tight, readable, comfortable };

struct PictureFit {
  Cells cells = Cells::comfortable;
  float pitch = 100;  ///< the size of the smallest cells, as the height of a cell for a number that fits into them

  /// Takes one more matrix of the picture into account.
  void add(const Canvas& canvas, const Heatmap& heatmap);
  /// `characters`: those that its numbers want at least.
  void add(const Canvas& canvas, const HeatmapLayout& layout, int characters = 0);
};

}  // namespace headlight
