#include "app/views/overlays/sheet.hpp"

#include <algorithm>

#include "app/ui/controls/controls.hpp"

namespace headlight {
namespace {

constexpr float padding = 16;  // above and below

/// The side of the cross, which a finger needs larger.
float heading_size(const Ui& ui) { return ui.reach(28); }

}  // namespace

float Sheet::height_around(const Ui& ui, float content) { return heading_size(ui) + 8 + content + 2 * padding; }

Sheet::Sheet(Ui& ui, std::string_view id, float width, float height) : ui_(ui), layer_(ui, id, ui.surface()) {
  ui.cover();
  const Rect surface = ui.surface();
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const float w = std::min(width, surface.w - 32);
  const float h = std::min(height, surface.h - 32);
  sheet_ = {surface.center().x - w / 2, std::max(16.0f, (surface.h - h) * 0.38f), w, h};
  area_ = sheet_.inset(20, padding);
  canvas.fill(surface, faded(theme.canvas, theme.dark() ? 0.62f : 0.55f));
  canvas.fill(sheet_, theme.panel, 10);
  canvas.stroke(sheet_, theme.outline, 1, 10);
  clicked_beside_ = ui.mouse_clicked() && ui.mouse_over(surface) && !sheet_.contains(ui.mouse());
}

Sheet::~Sheet() {
  ui_.take_typing_keys();
  for (const Key key : {Key::enter, Key::up, Key::down}) ui_.take_key(key);
}

bool Sheet::dismissed() { return clicked_beside_ || ui_.take_key(Key::escape); }

bool Sheet::heading(std::string_view title) {
  const float size = heading_size(ui_);
  const Rect line = area_.cut_top(size + 8);
  const Canvas canvas = ui_.canvas();
  canvas.text({line.x, line.y + 6 + size / 2}, canvas.ellipsized(title, TextStyle::heading, line.w - size - 8),
              TextStyle::heading, ui_.theme().text);
  return icon_button(ui_, "close", {line.right() - size, line.y, size, size}, Icon::cross,
                     {.kind = ButtonKind::quiet, .tooltip = "Close", .keys = "Esc"});
}

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
