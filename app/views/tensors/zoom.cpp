#include "app/views/tensors/zoom.hpp"

#include <cmath>

#include "app/views/tensors/cell_edit.hpp"
#include "app/views/tensors/mask_brush.hpp"

namespace headlight {
namespace {

constexpr double factor_per_notch = 1.25;

/// The part of the axis in view; the whole axis if the tensor has become too short for that part.
AxisView view_or_whole(const std::optional<AxisView>& view, Index cells) {
  const auto all = static_cast<double>(cells);
  if (!view || view->start + view->cells > all) return {0, all};
  return *view;
}

}  // namespace

void Zoom::keep_for(TensorId shown, bool shown_turned) {
  if (tensor == shown && turned == shown_turned) return;
  if (tensor) views = {};
  tensor = shown;
  turned = shown_turned;
}

ZoomRanges shown_ranges(const Zoom& zoom) {
  ZoomRanges ranges;
  for (std::size_t axis = 0; axis < ranges.size(); ++axis)
    if (const auto& view = zoom.views[axis]) ranges[axis] = CellRange{view->start, view->start + view->cells};
  return ranges;
}

Heatmap zoomed_heatmap(const TensorPicture& picture, const Rect& area, float canvas_scale, const Zoom& zoom,
                       ZoomAxes axes) {
  const HeatmapShape shape{picture.slice.rows(), picture.slice.columns(), picture.transposed};
  Heatmap heatmap = picture.heatmap(area, canvas_scale);
  heatmap.layout =
      HeatmapLayout(area, shape, canvas_scale, view_or_whole(zoom.view(axes.across), picture.columns_on_screen()),
                    view_or_whole(zoom.view(axes.down), picture.rows_on_screen()));
  return heatmap;
}

void zoom_with_mouse(ViewContext& context, const Item& item, const Heatmap& heatmap, TensorId tensor, Zoom& zoom,
                     ZoomAxes axes) {
  const HeatmapLayout& layout = heatmap.layout;
  const bool painting = paints(context, tensor);
  if (item.double_clicked && !painting) {
    zoom.views = {};
    context.ui.request_frame();
    return;
  }
  const auto show = [&](const HeatmapLayout& next) {
    if (next == layout) return;
    zoom.view(axes.across) = next.across().view;
    zoom.view(axes.down) = next.down().view;
    context.ui.request_frame();
  };
  const Point way = context.ui.drag_of(item);
  if (!(way == Point{}) && !(painting && item.held) && !drags_cell(context, item)) show(layout.panned(way.x, way.y));
  const float notches = item.hovered ? context.ui.take_wheel(layout.area()) : 0;
  if (notches != 0) show(layout.zoomed(context.ui.mouse(), std::pow(factor_per_notch, static_cast<double>(notches))));
}

}  // namespace headlight
