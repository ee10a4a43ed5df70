#include "app/views/tensors/zoom.hpp"

#include <cmath>

#include "app/session/lesson.hpp"
#include "app/views/base/view_memory.hpp"
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

std::optional<AxisView> chosen_rows(const Session& session, TensorId shown) {
  const auto& rows = matrix_choices(session, shown).rows;
  if (!rows) return std::nullopt;
  return AxisView{static_cast<double>(rows->first), static_cast<double>(rows->count)};
}

}  // namespace

CellsAtFirst cells_at_first(const Session& session, const TensorPicture& picture) {
  CellsAtFirst cells{picture.rows_on_screen(), picture.columns_on_screen()};
  if (const auto& rows = matrix_choices(session, picture.tensor).rows)
    (picture.transposed ? cells.columns : cells.rows) = rows->count;
  return cells;
}

Zoom first_zoom(const Session& session, TensorId shown, ZoomAxis along_rows) {
  Zoom zoom;
  zoom.rows = chosen_rows(session, shown);
  zoom.view(along_rows) = zoom.rows;
  return zoom;
}

Zoom& zoom_for(ViewContext& context, View view, TensorId shown, bool turned, ZoomAxis along_rows) {
  Zoom& zoom = context.memory.get<Zooms>().of(view);
  Zoom first = first_zoom(context.session, shown, along_rows);
  if (zoom.tensor == shown && zoom.turned == turned && zoom.rows == first.rows) return zoom;
  first.tensor = shown;
  first.turned = turned;
  if (!zoom.tensor)
    for (std::size_t axis = 0; axis < zoom.views.size(); ++axis)
      if (zoom.views[axis]) first.views[axis] = zoom.views[axis];
  return zoom = first;
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
  if (!layout.shows_all()) context.ui.claim_drag(item);  // it moves what is shown
  const Point moved = context.ui.drag_of(item);
  if (!(moved == Point{}) && !(painting && item.held) && !drags_cell(context, item))
    show(layout.panned(moved.x, moved.y));
  // In a page and in a column that scrolls, the wheel alone belongs to what is around the picture.
  const bool zooms = item.hovered && (!context.wordless || context.ui.ctrl());
  const float notches = zooms ? context.ui.take_wheel(layout.area()) : 0;
  if (notches != 0) show(layout.zoomed(context.ui.mouse(), std::pow(factor_per_notch, static_cast<double>(notches))));
}

}  // namespace headlight
