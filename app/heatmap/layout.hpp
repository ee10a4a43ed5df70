// The geometry of a heatmap's cells, for drawing, hovering, numbers, labels and bands.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/slices/grid.hpp"
#include "app/ui/drawing/geometry.hpp"

namespace headlight {

/// The part of an axis that is on screen, in cells, with fractions while panning. The whole axis by default.
struct AxisView {
  double start = 0;
  double cells = 0;
  friend bool operator==(const AxisView&, const AxisView&) = default;
};

/// Maps the cells of one displayed axis to device pixels. A cell of at least one device pixel is drawn as itself.
/// Otherwise each pixel ("texel") represents a run of cells, and every cell belongs to exactly one texel.
struct AxisMap {
  Index count = 0;  ///< cells of the whole axis
  AxisView view;
  float pixels = 0;  ///< device pixels that the view covers, including a gap after the last cell

  bool reduced() const { return static_cast<double>(pixels) < view.cells; }
  float pitch() const { return pixels / static_cast<float>(view.cells); }
  int texels() const;
  /// The cells of a texel. If there are many, they end at a multiple of granularity() or at the end of the view.
  IndexRange cells_of_texel(int texel) const;
  /// The largest power of two that is at most an eighth of a texel's cells, but at least 1, so that a texel can be read
  /// from a few blocks of this size.
  Index granularity() const;
  /// The texels of a range of cells, clipped to the view.
  IndexRange texels_of_cells(const IndexRange& cells) const;
  /// The cells that are on screen, wholly or partly.
  IndexRange visible() const;
  /// The device pixel at the start of a cell, counted from the start of the view. Whole, so that edges are sharp.
  float edge(Index cell) const;

  friend bool operator==(const AxisMap&, const AxisMap&) = default;
};

struct HeatmapShape {
  Index rows = 0;  ///< of the tensor
  Index columns = 0;
  bool transposed = false;  ///< token_axis = "columns": tensor rows are columns on the screen
  friend bool operator==(const HeatmapShape&, const HeatmapShape&) = default;
};

class HeatmapLayout {
 public:
  /// The whole tensor over `area` (design pixels). The gap follows from the pitch unless given.
  HeatmapLayout(const Rect& area, const HeatmapShape& shape, float scale, std::optional<float> gap = {});
  /// A part of the tensor over `area`, for zoom and pan. `across` and `down` are screen directions.
  HeatmapLayout(const Rect& area, const HeatmapShape& shape, float scale, AxisView across, AxisView down,
                std::optional<float> gap = {});

  const HeatmapShape& shape() const { return shape_; }
  const Rect& area() const { return area_; }
  float scale() const { return scale_; }
  float gap() const { return gap_; }
  float radius() const;
  /// Design pixels from cell to cell, across and down the screen.
  float pitch_x() const { return across_.pitch() / scale_; }
  float pitch_y() const { return down_.pitch() / scale_; }
  const AxisMap& across() const { return across_; }
  const AxisMap& down() const { return down_; }
  bool reduced() const { return across_.reduced() || down_.reduced(); }
  /// Whether nothing is zoomed. A drag moves what is zoomed, and changes the numbers of what is not.
  bool shows_all() const;

  /// The tensor's cell at a point; in a reduced picture the first cell of block_at(). Gaps belong to the cell before.
  std::optional<GridCell> cell_at(Point p) const;
  /// All cells of the pixel at a point: one, unless the picture is reduced.
  std::optional<GridBlock> block_at(Point p) const;
  /// The rectangle of a cell without the gap. It may be partly or wholly outside of the area.
  Rect rect_of(GridCell cell) const;
  /// The rectangle around these cells, for bands and frames of blocks.
  Rect rect_of(const GridBlock& block) const;
  GridBlock visible() const;
  /// The rectangle of one line of cells across or down the screen, clipped to the area; empty if outside of it.
  Rect line_across(Index index) const;
  Rect line_down(Index index) const;

  /// Zoomed about a fixed point; factor > 1 shows fewer cells. The view stays within the tensor and shows at least
  /// `min_cells` cells along each axis.
  HeatmapLayout zoomed(Point about, double factor, double min_cells = 4) const;
  /// The same cells over another area.
  HeatmapLayout over(const Rect& area) const;
  /// Moved by design pixels, as with the mouse. The view stays within the tensor.
  HeatmapLayout panned(float dx, float dy) const;

  friend bool operator==(const HeatmapLayout&, const HeatmapLayout&) = default;

 private:
  const AxisMap& row_axis() const { return shape_.transposed ? across_ : down_; }
  const AxisMap& column_axis() const { return shape_.transposed ? down_ : across_; }

  Rect area_;
  HeatmapShape shape_;
  float scale_;
  float gap_;
  AxisMap across_;
  AxisMap down_;
};

/// Which labels to draw so that neighbours are at least `room` apart: every 1st, 2nd, 5th, 10th, ... one.
std::vector<Index> thinned_labels(const IndexRange& visible, float pitch, float room);

}  // namespace headlight
