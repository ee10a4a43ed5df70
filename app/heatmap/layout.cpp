#include "app/heatmap/layout.hpp"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

AxisView whole(Index cells) { return {0, static_cast<double>(std::max<Index>(cells, 1))}; }

Rect on_pixels(const Rect& r, float scale) {
  const auto snap = [&](float v) { return std::round(v * scale) / scale; };
  const float left = snap(r.x);
  const float top = snap(r.y);
  return {left, top, snap(r.right()) - left, snap(r.bottom()) - top};
}

AxisMap axis_map(Index count, const AxisView& view, float length, float gap, float scale) {
  return {count, view, std::round(std::max(1.0f, (length + gap) * scale))};
}

AxisView kept_inside(AxisView view, Index count) {
  const auto cells = static_cast<double>(count);
  view.cells = std::min(view.cells, cells);
  view.start = std::clamp(view.start, 0.0, cells - view.cells);
  return view;
}

AxisView zoomed_axis(const AxisMap& axis, double share, double factor, double min_cells) {
  const double cells = std::max(axis.view.cells / factor, std::min(min_cells, static_cast<double>(axis.count)));
  return kept_inside({axis.view.start + share * (axis.view.cells - cells), cells}, axis.count);
}

/// The design's gap between cells of this pitch, in design pixels.
float gap_for_pitch(float pitch) {
  if (pitch >= 48) return 6;
  if (pitch >= 34) return 3;
  return pitch >= 8 ? 1 : 0;
}

}  // namespace

int AxisMap::texels() const { return reduced() ? static_cast<int>(pixels) : static_cast<int>(visible().size()); }

IndexRange AxisMap::visible() const {
  const auto begin = static_cast<Index>(std::floor(view.start));
  const auto end = static_cast<Index>(std::ceil(view.start + view.cells));
  return {std::max<Index>(begin, 0), std::min(end, count)};
}

IndexRange AxisMap::cells_of_texel(int texel) const {
  const IndexRange shown = visible();
  if (!reduced()) return IndexRange::one(shown.begin + texel);
  const Index grain = granularity();
  const auto first_of = [&](int t) {
    const double cell = view.start + static_cast<double>(t) * view.cells / static_cast<double>(pixels);
    return static_cast<Index>(std::floor(cell)) / grain * grain;
  };
  const bool last = texel + 1 == texels();
  return {texel == 0 ? std::min(shown.begin, count - 1) : first_of(texel), last ? shown.end : first_of(texel + 1)};
}

Index AxisMap::granularity() const {
  Index grain = 1;
  while (static_cast<double>(16 * grain) * static_cast<double>(pixels) <= view.cells) grain *= 2;
  return grain;
}

IndexRange AxisMap::texels_of_cells(const IndexRange& cells) const {
  const IndexRange shown = visible();
  const Index begin = std::max(cells.begin, shown.begin);
  const Index end = std::min(cells.end, shown.end);
  if (begin >= end) return {0, 0};
  if (!reduced()) return {begin - shown.begin, end - shown.begin};
  const auto texel_of = [&](Index cell) {
    const double at = (static_cast<double>(cell) - view.start) * static_cast<double>(pixels) / view.cells;
    auto texel = std::clamp<Index>(static_cast<Index>(at), 0, texels() - 1);
    while (texel > 0 && cells_of_texel(static_cast<int>(texel)).begin > cell) --texel;
    while (texel + 1 < texels() && cells_of_texel(static_cast<int>(texel)).end <= cell) ++texel;
    return texel;
  };
  return {texel_of(begin), texel_of(end - 1) + 1};
}

float AxisMap::edge(Index cell) const {
  const double at = (static_cast<double>(cell) - view.start) * static_cast<double>(pixels) / view.cells;
  return static_cast<float>(std::floor(at + 0.5));
}

HeatmapLayout::HeatmapLayout(const Rect& area, const HeatmapShape& shape, float scale, std::optional<float> gap)
    : HeatmapLayout(area, shape, scale, whole(shape.transposed ? shape.rows : shape.columns),
                    whole(shape.transposed ? shape.columns : shape.rows), gap) {}

HeatmapLayout::HeatmapLayout(const Rect& area, const HeatmapShape& shape, float scale, AxisView across, AxisView down,
                             std::optional<float> gap)
    : area_(on_pixels(area, scale)), shape_(shape), scale_(scale) {
  const double pitch = std::min(static_cast<double>(area.w) / across.cells, static_cast<double>(area.h) / down.cells);
  gap_ = std::round(gap.value_or(gap_for_pitch(static_cast<float>(pitch))) * scale) / scale;
  across_ = axis_map(shape.transposed ? shape.rows : shape.columns, across, area_.w, gap_, scale);
  down_ = axis_map(shape.transposed ? shape.columns : shape.rows, down, area_.h, gap_, scale);
}

bool HeatmapLayout::shows_all() const {
  const auto whole = [](const AxisMap& axis, Index cells) {
    return axis.view.start <= 0 && axis.view.cells >= static_cast<double>(cells);
  };
  return whole(across_, shape_.transposed ? shape_.rows : shape_.columns) &&
         whole(down_, shape_.transposed ? shape_.columns : shape_.rows);
}

float HeatmapLayout::radius() const { return gap_ >= 2 ? 3 : 0; }

std::optional<GridBlock> HeatmapLayout::block_at(Point p) const {
  if (!area_.contains(p)) return {};
  const auto along = [](const AxisMap& axis, float device) -> IndexRange {
    if (axis.reduced()) return axis.cells_of_texel(std::clamp(static_cast<int>(device), 0, axis.texels() - 1));
    const IndexRange shown = axis.visible();
    const double at = axis.view.start + static_cast<double>(device) / static_cast<double>(axis.pitch());
    Index cell = std::clamp(static_cast<Index>(std::floor(at)), shown.begin, shown.end - 1);
    // Cells are drawn with edges rounded to whole pixels, so the pixel may belong to a neighbour of the computed cell.
    if (cell > shown.begin && device < axis.edge(cell)) --cell;
    if (cell + 1 < shown.end && device >= axis.edge(cell + 1)) ++cell;
    return IndexRange::one(cell);
  };
  const IndexRange x = along(across_, (p.x - area_.x) * scale_);
  const IndexRange y = along(down_, (p.y - area_.y) * scale_);
  return shape_.transposed ? GridBlock{x, y} : GridBlock{y, x};
}

std::optional<GridCell> HeatmapLayout::cell_at(Point p) const {
  const std::optional<GridBlock> block = block_at(p);
  if (!block) return {};
  return GridCell{block->rows.begin, block->columns.begin};
}

Rect HeatmapLayout::rect_of(GridCell cell) const {
  return rect_of(GridBlock{IndexRange::one(cell.row), IndexRange::one(cell.column)});
}

Rect HeatmapLayout::rect_of(const GridBlock& block) const {
  const IndexRange& x = shape_.transposed ? block.rows : block.columns;
  const IndexRange& y = shape_.transposed ? block.columns : block.rows;
  const auto span = [&](const AxisMap& axis, const IndexRange& range) {
    const float from = axis.edge(range.begin) / scale_;
    // A cell of a reduced picture is smaller than a pixel; its rectangle is at least one pixel.
    const float to = std::max(axis.edge(range.end) / scale_ - (axis.reduced() ? 0 : gap_), from + 1 / scale_);
    return std::pair{from, to - from};
  };
  const auto [left, width] = span(across_, x);
  const auto [top, height] = span(down_, y);
  return {area_.x + left, area_.y + top, width, height};
}

GridBlock HeatmapLayout::visible() const { return {row_axis().visible(), column_axis().visible()}; }

Rect HeatmapLayout::line_across(Index index) const {
  const IndexRange one = IndexRange::one(index);
  const GridBlock line = shape_.transposed ? GridBlock{{0, shape_.rows}, one} : GridBlock{one, {0, shape_.columns}};
  return rect_of(line).intersected(area_);
}

Rect HeatmapLayout::line_down(Index index) const {
  const IndexRange one = IndexRange::one(index);
  const GridBlock line = shape_.transposed ? GridBlock{one, {0, shape_.columns}} : GridBlock{{0, shape_.rows}, one};
  return rect_of(line).intersected(area_);
}

HeatmapLayout HeatmapLayout::zoomed(Point about, double factor, double min_cells) const {
  if (area_.empty()) return *this;
  const double x = static_cast<double>((about.x - area_.x) / area_.w);
  const double y = static_cast<double>((about.y - area_.y) / area_.h);
  return {area_, shape_, scale_, zoomed_axis(across_, x, factor, min_cells), zoomed_axis(down_, y, factor, min_cells)};
}

HeatmapLayout HeatmapLayout::over(const Rect& area) const {
  if (area == area_) return *this;
  return {area, shape_, scale_, across_.view, down_.view, gap_};
}

HeatmapLayout HeatmapLayout::panned(float dx, float dy) const {
  const auto moved = [&](const AxisMap& axis, float d) {
    return kept_inside({axis.view.start - static_cast<double>(d / (axis.pitch() / scale_)), axis.view.cells},
                       axis.count);
  };
  return {area_, shape_, scale_, moved(across_, dx), moved(down_, dy)};
}

std::vector<Index> thinned_labels(const IndexRange& visible, float pitch, float room) {
  Index step = 1;
  // If the pitch is 0, because the picture has no height left, the loop ends with only the first label.
  for (int i = 0; step < visible.end && static_cast<float>(step) * pitch < room; ++i)
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  std::vector<Index> labels;
  for (Index i = (visible.begin + step - 1) / step * step; i < visible.end; i += step) labels.push_back(i);
  return labels;
}

}  // namespace headlight
