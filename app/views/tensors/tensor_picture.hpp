// Any tensor of the trace as a picture that answers to the mouse: cells, numbers, labels, bands and the ring.
//
// draw_tensor_picture does it all in one rectangle. Views that share labels or bands between pictures (the equation)
// put a Heatmap in place themselves and call draw_cells.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "app/heatmap/heatmap.hpp"
#include "app/session/selection.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/cell.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct Zoom;

/// The state before somebody began to play with a number, while they do: its numbers show in the cells too.
struct Ghost {
  std::shared_ptr<const Trace> before;
};

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
  bool large_type = false;           ///< see Heatmap::large_type

  const Slice& shaded() const { return shade ? *shade : slice; }
  Index rows_on_screen() const { return transposed ? slice.columns() : slice.rows(); }
  Index columns_on_screen() const { return transposed ? slice.rows() : slice.columns(); }
  /// The cell of the trace at a place of the slice.
  Cell cell_at(GridCell place, const Setup& setup) const;
  Heatmap heatmap(const Rect& area, float canvas_scale) const;
};

/// The picture of a tensor of the session's trace, with the person's colours, turned as the setup says. The tensor must
/// be in the trace.
TensorPicture picture_of(const ViewContext& context, TensorId tensor, Index batch, Index head);

/// The same of any trace, with a given scale. The place must fit the trace's setup.
TensorPicture picture_in(const ViewContext& context, const Trace& trace, const Selection& place,
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
/// item. It is the same in all heads. Quiet while the cell is hovered or pinned.
PictureLight light_of(const ViewContext& context, const TensorPicture& picture);

struct CellsOptions {
  bool numbers = true;      ///< where there is room
  bool interactive = true;  ///< hover and click
  bool paints = true;       ///< takes the brush and other numbers; false if it does not show the present setup
  bool asked = true;  ///< hides what the step asks about; false if it shows a state that the step does not ask about
  std::string_view of = {};  ///< put before a cell's tip if the number is not from the session's trace: "A:"
  bool ring = true;          ///< false if the caller draws outlines first and the ring over them, see draw_ring
  int power = 0;             ///< of ten, that the numbers are multiples of; the caller writes it beside them
  bool glides = true;        ///< to its place, when one comes to it; false if the caller moves it
};
/// Draws cells, numbers and the ring; hovering and clicking go to the session. The heatmap must show the picture's
/// slice; its emphasis is set here. `id` must be unique in the current scope.
Item draw_cells(ViewContext& context, std::string_view id, const TensorPicture& picture, Heatmap heatmap,
                const PictureLight& light, const CellsOptions& options = {});

/// The width of a band's outline. A stage is drawn twice as large, and its bands not quite.
float band_width(const ViewContext& context);
/// Draws the ring round the lit cell, with a pin if it is pinned. Draws nothing if the cell is not on screen.
void draw_ring(const ViewContext& context, const HeatmapLayout& layout, const PictureLight& light);

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

/// Whether a band is too thin to hold its label. It then covers the cells only and does not run through the words.
inline bool is_thin(const Rect& band) { return std::min(band.w, band.h) < 14; }

}  // namespace headlight
