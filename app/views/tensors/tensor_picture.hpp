// Any tensor of the trace as a picture: what of it is shown, how, and what is highlighted in it.
#pragma once

#include <optional>
#include <string_view>

#include "app/heatmap/heatmap.hpp"
#include "app/session/display/selection.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/cell.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// One matrix of a tensor: what is shown, in which colours, which way round.
struct TensorPicture {
  TensorId tensor = TensorId::X;
  Index batch = 0;
  Index head = 0;  ///< a query head; ignored where the tensor has none
  Slice slice;
  ColorScale scale;
  bool transposed = false;                             ///< the tensor's rows run across the screen
  Reduction reduction = Reduction::largest_magnitude;  ///< used where several cells share a pixel
  std::optional<Slice> shade = {};                     ///< see Heatmap::shade
  GridCell origin = {};              ///< of the slice in the tensor's matrix, where it is a part of it
  std::optional<int> decimals = {};  ///< see Heatmap::decimals

  const Slice& shaded() const { return shade ? *shade : slice; }
  Index rows_on_screen() const { return transposed ? slice.columns() : slice.rows(); }
  Index columns_on_screen() const { return transposed ? slice.rows() : slice.columns(); }
  /// The cell of the trace at a cell of the slice.
  Cell cell_at(GridCell at, const Setup& setup) const;
  Heatmap heatmap(const Rect& area, float canvas_scale) const;
};

/// The picture of a tensor of the session's trace, with the person's colours, turned as the setup says. The tensor must
/// be in the trace.
TensorPicture picture_of(const ViewContext& context, TensorId tensor, Index batch, Index head);

/// The same of any trace, with a given scale. The selection must fit the trace's setup.
TensorPicture picture_in(const ViewContext& context, const Trace& trace, const Selection& selection,
                         const ColorScale& scale);

/// The picture of some rows and columns alone.
TensorPicture part_of(TensorPicture picture, const GridBlock& part);

/// The words beside a picture whose pixels each show several cells: "mean per pixel".
std::string_view words_of(Reduction reduction);

/// What is highlighted in a picture: a row and a column of the tensor by bands, and a cell by a ring.
struct PictureLight {
  std::optional<Index> row;
  std::optional<Index> column;
  std::optional<GridCell> ring;
  bool quiet = false;  ///< all other cells are drawn quietly

  Emphasis emphasis(float strength) const;
};

/// The highlight for the session's cell (hovered, pinned or selected), if that is in the picture's tensor and batch
/// item. It is the same in all heads. `quiets`: the other cells are quiet while the cell is hovered or pinned.
PictureLight light_of(const ViewContext& context, const TensorPicture& picture, bool quiets = false);

}  // namespace headlight
