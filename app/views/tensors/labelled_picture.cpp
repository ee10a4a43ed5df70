#include "app/views/tensors/labelled_picture.hpp"

#include "app/heatmap/numbers.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/tensors/axis_labels.hpp"

namespace headlight {

PlacedPicture placed(const Canvas& canvas, const TensorPicture& picture, const Heatmap& heatmap, ZoomAxes axes) {
  return {picture, heatmap, axes, shared_power(canvas, heatmap)};
}

Item draw_cells(ViewContext& context, std::string_view id, const PlacedPicture& placed, const PictureLight& light,
                CellsOptions options) {
  options.power = placed.power;
  return draw_cells(context, id, placed.picture, placed.heatmap, light, options);
}

void zoom_with_mouse(ViewContext& context, const Item& item, const PlacedPicture& placed, Zoom& zoom) {
  zoom_with_mouse(context, item, placed.heatmap, placed.picture.tensor, zoom, placed.axes);
}

void draw_labels(ViewContext& context, const TensorPicture& picture, const HeatmapLayout& layout,
                 const PictureLight& light, const LabelStrip& strip) {
  if (strip.area.empty()) return;
  const Canvas canvas = context.ui.canvas();
  const bool last = strip.across != picture.transposed;
  const AxisLabels labels =
      axis_labels(canvas.theme(), picture.tensor, last, context.session, last ? light.column : light.row);
  if (strip.across) draw_labels_across(canvas, layout, strip.area, labels, strip.beyond);
  else draw_labels_down(canvas, layout, strip.area, labels, strip.align);
  offer_token_menus(context, picture.tensor, layout, strip.area, strip.across);
}

void offer_token_menus(ViewContext& context, TensorId tensor, const HeatmapLayout& layout, const Rect& strip,
                       bool across) {
  if (strip.empty() || !context.ui.right_clicked() || !context.ui.mouse_over(strip)) return;
  const bool last = across != layout.shape().transposed;
  const auto axis = matrix_axis(tensor, last);
  if (axis != Axis::query && axis != Axis::key) return;
  const Point mouse = context.ui.mouse();
  const Rect& cells = layout.area();
  const auto cell = layout.cell_at(across ? Point{mouse.x, cells.center().y} : Point{cells.center().x, mouse.y});
  if (!cell) return;
  offer_menu(context, strip, token_target(context.session, last ? cell->column : cell->row, axis == Axis::key));
}

}  // namespace headlight
