#include "app/heatmap/heatmap.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace headlight {
namespace {

bool framed(const HeatmapLayout& layout) { return layout.gap() >= 2; }

HatchShape hatch_of(const Theme& theme, const HeatmapLayout& layout, std::vector<Rect> rects) {
  const bool small = std::min(layout.pitch_x(), layout.pitch_y()) < 14;
  return {std::move(rects), layout.radius(), small ? 4.0f : 8.0f, 0.9f, theme.mask_background, theme.mask_ink};
}

/// The rectangle of a masked cell. If masked cells form one hatched field, it includes the gap to the next cell.
Rect masked_rect(const HeatmapLayout& layout, GridCell cell) {
  Rect r = layout.rect_of(cell);
  if (!framed(layout)) {
    r.w += layout.gap();
    r.h += layout.gap();
  }
  return r.intersected(layout.area());
}

void record_error(const Canvas& canvas, const Rect& r, float radius) {
  const Theme& theme = canvas.theme();
  const bool tiny = std::min(r.w, r.h) < 6;
  canvas.record(BoxShape{r, tiny ? theme.error : theme.panel, radius});
  if (!tiny) canvas.record(BoxShape{r.inset(0.75f), theme.error, radius, 1.5f});
}

void record_cells(const Canvas& canvas, const Heatmap& heatmap) {
  const Theme& theme = canvas.theme();
  const HeatmapLayout& layout = heatmap.layout;
  const GridBlock shown = layout.visible();
  CellsShape cells{{}, layout.radius()};
  std::vector<Rect> masked;
  std::vector<Rect> errors;
  for (Index row = shown.rows.begin; row < shown.rows.end; ++row) {
    for (Index column = shown.columns.begin; column < shown.columns.end; ++column) {
      const GridCell cell{row, column};
      const CellKind kind = heatmap.slice.kind(row, column);
      if (kind == CellKind::number) cells.cells.push_back({layout.rect_of(cell), heatmap.color_of(theme, cell)});
      else if (kind == CellKind::masked) masked.push_back(masked_rect(layout, cell));
      else errors.push_back(layout.rect_of(cell));
    }
  }
  if (!masked.empty()) canvas.record(hatch_of(theme, layout, masked));
  if (framed(layout))
    for (const Rect& r : masked) canvas.record(BoxShape{r.inset(0.5f), theme.line_strong, layout.radius(), 1});
  if (!cells.cells.empty()) canvas.record(std::move(cells));
  for (const Rect& r : errors) record_error(canvas, r, layout.radius());
}

/// The rectangle of all texels. On an axis that is not reduced, the view may begin and end within a cell.
Rect rect_of_texels(const HeatmapLayout& layout) {
  const auto span = [&](const AxisMap& axis) {
    if (axis.reduced()) return std::pair{0.0f, axis.pixels / layout.scale()};
    const IndexRange shown = axis.visible();
    return std::pair{axis.edge(shown.begin) / layout.scale(), axis.edge(shown.end) / layout.scale()};
  };
  const auto [left, right] = span(layout.across());
  const auto [top, bottom] = span(layout.down());
  return {layout.area().x + left, layout.area().y + top, right - left, bottom - top};
}

void record_image(const Canvas& canvas, const Heatmap& heatmap) {
  if (canvas.recording_outlines()) return canvas.record(PixelsShape{rect_of_texels(heatmap.layout), 0, 0, {}});
  const Theme& theme = canvas.theme();
  const Raster raster = rasterize(heatmap.shaded(), heatmap.layout, heatmap.reduction);
  const LitTexels lit = lit_texels(heatmap);
  const double strength = static_cast<double>(heatmap.emphasis.strength);
  PixelsShape pixels{rect_of_texels(heatmap.layout), raster.width, raster.height, {}};
  pixels.colors.reserve(raster.texels.size());
  bool any_masked = false;
  for (int y = 0; y < raster.height; ++y) {
    for (int x = 0; x < raster.width; ++x) {
      const Raster::Texel& texel = raster.at(x, y);
      Color color = heatmap.scale.color(theme, texel.value);
      if (strength > 0 && !lit.at(x, y)) color = mix(color, theme.quiet(color), strength);
      if (texel.kind == CellKind::masked) color = {0, 0, 0, 0};
      else if (texel.kind != CellKind::number) color = theme.error;
      any_masked |= texel.kind == CellKind::masked;
      pixels.colors.push_back(color);
    }
  }
  if (any_masked) canvas.record(hatch_of(theme, heatmap.layout, {heatmap.layout.area()}));
  canvas.record(std::move(pixels));
}

}  // namespace

LitTexels lit_texels(const Heatmap& heatmap) {
  const Emphasis& emphasis = heatmap.emphasis;
  const bool transposed = heatmap.layout.shape().transposed;
  const auto texels = [](const AxisMap& axis, const std::optional<IndexRange>& cells) {
    return cells ? axis.texels_of_cells(*cells) : IndexRange{};
  };
  return {texels(heatmap.layout.across(), transposed ? emphasis.rows : emphasis.columns),
          texels(heatmap.layout.down(), transposed ? emphasis.columns : emphasis.rows)};
}

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

void record(const Canvas& canvas, const Heatmap& heatmap) {
  if (!canvas.recording()) return;
  canvas.push_clip(heatmap.layout.area());
  const GridBlock shown = heatmap.layout.visible();
  if (heatmap.layout.reduced() || shown.rows.size() * shown.columns.size() > most_cell_shapes)
    record_image(canvas, heatmap);
  else record_cells(canvas, heatmap);
  canvas.pop_clip();
}

}  // namespace headlight
