// A picture of a tensor with its title, labels, bands and colour bar, in one rectangle.
#pragma once

#include <string_view>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/zoom.hpp"

namespace headlight {

struct TensorPictureOptions {
  std::string_view title = {};  ///< a line above, with the shape at its right
  bool row_labels = true;       ///< for the tensor's rows, whether they run down or across the screen
  bool column_labels = true;
  bool color_bar = false;  ///< below, with its range
  bool power = false;      ///< numbers may share a power of ten, which the caller writes; a `title` does so by itself
  bool bands = true;
  Zoom* zoom = nullptr;  ///< makes the picture zoom, together with all pictures that share it
  CellsOptions cells = {};
  float widest_pitch = 63;  ///< of a cell, in design pixels
  float highest_pitch = 56;
};
/// Where the cells of a picture were placed, whether several of them share a pixel, and the power of ten that their
/// numbers share.
struct PlacedCells {
  Rect cells;
  bool reduced = false;
  int power = 0;
};
/// Where draw_tensor_picture places the cells.
Rect cells_of_picture(const ViewContext& context, const Rect& area, const TensorPicture& picture,
                      const TensorPictureOptions& options = {});
/// Draws the whole picture at the upper left of `area`, as large as it fits.
PlacedCells draw_tensor_picture(ViewContext& context, std::string_view id, const Rect& area,
                                const TensorPicture& picture, const TensorPictureOptions& options = {});

}  // namespace headlight
