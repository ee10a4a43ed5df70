#include "app/heatmap/heatmap.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headlight {

Color Heatmap::color_of(const Theme& theme, GridCell cell) const {
  const Color color = scale.color(theme, shaded().value(cell.row, cell.column));
  return emphasis.quiets(cell) ? mix(color, theme.quiet(color), static_cast<double>(emphasis.strength)) : color;
}

std::optional<Reduced> Heatmap::at(Point p) const {
  const std::optional<GridBlock> block = layout.block_at(p);
  if (!block) return {};
  return reduce(shaded(), *block, reduction);
}

Heatmap make_heatmap(const Slice& slice, const ColorScale& scale, const Rect& area, float canvas_scale,
                     bool transposed) {
  return {slice, scale, HeatmapLayout(area, {slice.rows(), slice.columns(), transposed}, canvas_scale)};
}

void draw_color_bar(const Canvas& canvas, const Rect& r, const ColorScale& scale) {
  const int steps = std::max(2, static_cast<int>(std::lround(r.w * canvas.scale())));
  std::vector<Color> colors;
  for (int i = 0; i < steps; ++i) colors.push_back(scale.color(canvas.theme(), scale.value_on_bar((i + 0.5) / steps)));
  canvas.strips(r, colors);
}

}  // namespace headlight
