#include "app/views/overlays/list_row.hpp"

namespace headlight {

Item list_row(Ui& ui, std::string_view id, const Rect& row, bool chosen) {
  const Canvas canvas = ui.canvas();
  const Item item = ui.item(id, row, {.focusable = false});
  if (chosen || item.hovered) canvas.fill(row, ui.theme().hover, 6);
  if (chosen) canvas.fill({row.x, row.y + 6, 3, row.h - 12}, ui.theme().lamp, 1.5f);
  return item;
}

}  // namespace headlight
