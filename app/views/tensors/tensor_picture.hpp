// Any tensor of the trace as a picture that answers to the mouse: cells, numbers, labels, bands and the ring.
//
// draw_tensor_picture does it all in one rectangle. Views that share labels or bands between pictures (the equation)
// put a Heatmap in place themselves and call draw_cells.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/ui.hpp"
#include "app/views/frame/view_context.hpp"
#include "core/model/cell.hpp"

namespace headlight {

struct Zoom;

/// One matrix of a tensor: what is shown, in which colours, which way round.
struct TensorPicture {
  TensorId tensor = TensorId::X;
  Index batch = 0;
  Index head = 0;  ///< a query head; ignored where the tensor has none
  Slice slice;
  ColorScale scale;
  bool transposed = false;                             ///< the tensor's rows run across the screen
  Reduction reduction = Reduction::largest_magnitude;  ///< below one pixel per cell

  Index rows_on_screen() const { return transposed ? slice.columns() : slice.rows(); }
  Index columns_on_screen() const { return transposed ? slice.rows() : slice.columns(); }
  /// The cell of the trace at a place of the slice.
  Cell cell_at(GridCell place, const Setup& setup) const;
  Heatmap heatmap(const Rect& area, float canvas_scale) const;
};

/// The picture of a tensor of the session's trace, with the person's colours, turned as the setup says. The tensor must
/// be in the trace.
TensorPicture picture_of(const ViewContext& context, TensorId tensor, Index batch, Index head);

/// How what one pixel shows of its many cells is named beside a picture that needs it: "mean per pixel".
std::string_view words_of(Reduction reduction);

/// What of a picture stands out: a row and a column of the tensor in bands, and a cell in a ring.
struct PictureLight {
  std::optional<Index> row;
  std::optional<Index> column;
  std::optional<GridCell> ring;
  bool quiet = false;  ///< everything else goes quiet

  Emphasis emphasis(float strength) const;
};

/// The light of the cell that everything explains, where the picture's tensor and batch item have it; it is the same in
/// every head. Quiet while it is hovered or pinned.
PictureLight light_of(const ViewContext& context, const TensorPicture& picture);

/// Tells the session which cell is under the mouse. draw_app takes the hovering back when no view said so in a frame.
void hover_cell(ViewContext& context, const Cell& cell);

struct CellsOptions {
  bool numbers = true;       ///< where there is room
  bool interactive = true;   ///< hover and click
  bool paints = true;        ///< takes the brush; false where it is no picture of the present setup
  std::string_view of = {};  ///< what the tip of a cell begins with where the number is not the session's own: "A"
  bool ring = true;          ///< false where outlines are still to come: the ring stands over them, see draw_ring
};
/// Cells, numbers and the ring; hovering and pinning through the session. The heatmap's slice is the picture's; its
/// emphasis is set here. `id` is unique in the current scope.
Item draw_cells(ViewContext& context, std::string_view id, const TensorPicture& picture, Heatmap heatmap,
                const PictureLight& light, const CellsOptions& options = {});

/// The ring round the lit cell, with a pin where it is pinned. Nothing where the cell is not on screen.
void draw_ring(const ViewContext& context, const HeatmapLayout& layout, const PictureLight& light);

struct TensorPictureOptions {
  std::string_view title = {};  ///< a line above, with the shape at its right
  bool row_labels = true;       ///< beside the tensor's rows, wherever they run
  bool column_labels = true;
  bool color_bar = false;  ///< below, with its range
  bool bands = true;
  Zoom* zoom = nullptr;  ///< the picture can be zoomed, with all that have the same
  CellsOptions cells = {};
  float widest_pitch = 63;  ///< cells grow to this
  float highest_pitch = 56;
};
/// Where a picture's cells came to stand, and whether some of them share a pixel.
struct PlacedCells {
  Rect cells;
  bool reduced = false;
};
/// The whole picture at the upper left of `area`, as large as it fits.
PlacedCells draw_tensor_picture(ViewContext& context, std::string_view id, const Rect& area,
                                const TensorPicture& picture, const TensorPictureOptions& options = {});

/// The bar of the picture's colours with the ends of its range (and zero, where it is inside) below; 30 high.
void draw_color_bar_with_range(const Canvas& canvas, const Rect& area, const ColorScale& scale);

/// A band too thin to hold its label: it ends at the cells, and does not run through the words.
inline bool is_thin(const Rect& band) { return std::min(band.w, band.h) < 14; }

}  // namespace headlight
