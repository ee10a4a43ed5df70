#include "app/views/tensors/token_menus.hpp"

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/tensors/axis_labels.hpp"

namespace headlight {

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
