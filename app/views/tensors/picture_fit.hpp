// What a picture looks like in an area before it is drawn there: whether its cells can carry numbers.
#pragma once

#include <algorithm>

#include "app/heatmap/layout.hpp"
#include "app/ui/drawing/canvas.hpp"

namespace headlight {

/// What a picture gives up so that its numbers fit.
struct PictureStyle {
  bool low_labels = false;  ///< labels of columns have one line: the token without its index
  bool low_rows = false;    ///< the rows of a product's result leave more of the height to the story above them
  bool one_row = false;     ///< only the lit row of the result is shown, and what it is computed from
};

/// A matrix of at most this many rows and columns is read number by number.
inline constexpr Index most_read = 12;

struct PictureFit {
  /// Characters of the numbers in the narrowest cells, of the matrices that are read; 0 if some carry no numbers.
  int characters = 5;
  float pitch = 100;  ///< the side of a square as large as the smallest cells, in design pixels

  /// Takes one more matrix of the picture into account.
  void add(const Canvas& canvas, const HeatmapLayout& layout);
};

}  // namespace headlight
