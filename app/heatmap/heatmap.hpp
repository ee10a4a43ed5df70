// One heatmap as a value: what it shows and how. It answers what is under the mouse; HeatmapRenderer draws it.
#pragma once

#include <optional>

#include "app/heatmap/layout.hpp"
#include "app/heatmap/raster.hpp"
#include "app/slices/slice.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/color_scale.hpp"

namespace headlight {

/// Which cells are lit; the others lose colour and contrast by `strength` in [0, 1]. A cell is lit when its row
/// or its column is in a range; with neither range all cells go quiet.
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
  /// The numbers that the colours show, where those are not the slice's own; same shape. Weights take their colours
  /// from how many times even attention they are.
  std::optional<Slice> shade = {};

  const Slice& shaded() const { return shade ? *shade : slice; }
  /// The colour that a cell is filled with, emphasis included. For numbers only.
  Color color_of(const Theme& theme, GridCell cell) const;
  /// What the picture shows at a point: a cell, or the reduced block of cells that shares the pixel. Its value is that
  /// of the colour.
  std::optional<Reduced> at(Point p) const;
};

/// The slice as a heatmap that fills `area`: with the shape, and turned when `transposed`.
Heatmap make_heatmap(const Slice& slice, const ColorScale& scale, const Rect& area, float canvas_scale,
                     bool transposed = false);

/// The colour bar of a scale, from lo at the left to hi at the right.
void draw_color_bar(const Canvas& canvas, const Rect& r, const ColorScale& scale);

}  // namespace headlight
