// A heatmap as a value: its numbers, and how to draw them. It also finds the cell at a point. HeatmapRenderer draws it.
#pragma once

#include <optional>

#include "app/heatmap/layout.hpp"
#include "app/heatmap/raster.hpp"
#include "app/slices/slice.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/color_scale.hpp"

namespace headlight {

/// Which cells are lit; the others lose colour and contrast by `strength` in [0, 1]. A cell is lit if its row or its
/// column is in a range. Without ranges all cells are quiet.
struct Emphasis {
  std::optional<IndexRange> rows;
  std::optional<IndexRange> columns;
  float strength = 0;

  bool lights(GridCell cell) const {
    return (rows && rows->contains(cell.row)) || (columns && columns->contains(cell.column));
  }
  bool quiets(GridCell cell) const { return strength > 0 && !lights(cell); }
  friend bool operator==(const Emphasis&, const Emphasis&) = default;
};

struct Heatmap {
  Slice slice;
  ColorScale scale;
  HeatmapLayout layout;
  Reduction reduction = Reduction::largest_magnitude;
  Emphasis emphasis = {};
  /// The numbers behind the colours, if they are not the slice's own; same shape. Weights are coloured as multiples of
  /// even attention.
  std::optional<Slice> shade = {};
  std::optional<int> decimals = {};  ///< of the numbers in its cells; as many as fit where nothing is chosen

  const Slice& shaded() const { return shade ? *shade : slice; }
  /// The fill colour of a cell, including the emphasis. For numbers only.
  Color color_of(const Theme& theme, GridCell cell) const;
  /// The cell at a point, or the reduced block of cells in the pixel. The value is the number behind the colour.
  std::optional<Reduced> at(Point p) const;
};

/// The columns and rows of texels that contain a lit cell; empty where none is lit.
struct LitTexels {
  IndexRange across;
  IndexRange down;

  bool at(int x, int y) const { return across.contains(x) || down.contains(y); }
};
LitTexels lit_texels(const Heatmap& heatmap);

/// The slice as a heatmap that fills `area`, transposed if `transposed`.
Heatmap make_heatmap(const Slice& slice, const ColorScale& scale, const Rect& area, float canvas_scale,
                     bool transposed = false);

/// The colour bar of a scale, from lo at the left to hi at the right.
void draw_color_bar(const Canvas& canvas, const Rect& r, const ColorScale& scale);

/// Up to this many visible cells are recorded as rectangles. More become one image with a pixel for each cell, or for
/// each reduced block if cells are smaller than a device pixel.
inline constexpr Index most_cell_shapes = 4096;

/// Adds to the canvas's record, for vector formats, what HeatmapRenderer draws, with the same colours and the same
/// reduction.
void record(const Canvas& canvas, const Heatmap& heatmap);

}  // namespace headlight
