#include "app/views/overlays/list_row.hpp"

namespace headlight {

Item list_row(Ui& ui, std::string_view id, const Rect& row, bool chosen) {
  const Canvas canvas = ui.canvas();
  const Item item = ui.item(id, row, {.focusable = false});
  if (chosen || item.hovered) canvas.fill(row, ui.theme().hover, 6);
  if (chosen) canvas.fill({row.x, row.y + 6, 3, row.h - 12}, ui.theme().lamp, 1.5f);
  return item;
}

std::optional<std::size_t> draw_list(Ui& ui, std::string_view id, const Rect& area, const ListRows& rows,
                                     const std::function<bool(const Rect&, std::size_t)>& draw) {
  std::optional<std::size_t> taken;
  ScrollArea scroll(ui, id, area, rows.height * static_cast<float>(rows.count), ui.theme().panel);
  const Rect all = scroll.content();
  const auto row_at = [&](std::size_t i) {
    return Rect{all.x, all.y + rows.height * static_cast<float>(i), all.w - 10, rows.height};
  };
  if (rows.revealed) scroll.reveal(row_at(*rows.revealed));
  for (std::size_t i = 0; i < rows.count; ++i) {
    const Rect row = row_at(i);
    if (row.bottom() < area.y || row.y > area.bottom()) continue;
    ui.push_id(static_cast<int>(i));
    if (draw(row, i)) taken = i;
    ui.pop_id();
  }
  return taken;
}

}  // namespace headlight
