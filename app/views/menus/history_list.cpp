#include "app/views/menus/history_list.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {
namespace {

constexpr float edit_height = 28;
constexpr float edits_heading = 32;
constexpr float around_edits = 6;
constexpr float most_edit_width = 480;
constexpr float least_edit_width = 220;

std::string words_of_edit(const HistoryList& list, std::size_t row) { return row == 0 ? "The start" : list.words[row]; }

/// Below what it belongs to, and inside the surface. A long list scrolls.
Rect area_of_edits(const Ui& ui, const HistoryList& list) {
  const Canvas canvas = ui.canvas();
  float width = least_edit_width;
  for (std::size_t row = 0; row < list.words.size(); ++row)
    width = std::max(width, canvas.width(words_of_edit(list, row), TextStyle::control) + 60);
  const Rect screen = ui.surface();
  const float top = list.beside.bottom() + 2;
  const float height = 2 * around_edits + edits_heading + edit_height * static_cast<float>(list.words.size());
  Rect area{list.beside.x, top, std::min(width, most_edit_width), std::min(height, screen.bottom() - 8 - top)};
  area.x = std::max(4.0f, std::min(area.x, screen.right() - area.w - 4));
  return area;
}

/// One edit. The present one has a tick; those after it, which redo brings back, are pale.
bool draw_edit(Ui& ui, const Rect& r, const HistoryList& list, std::size_t row, std::size_t present, bool& pointed_at) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  ui.push_id(static_cast<int>(row));
  const Item item = ui.item("edit", r, {.focusable = false});
  ui.pop_id();
  pointed_at = item.hovered;
  if (list.row == row) canvas.fill(r, theme.hover, 4);
  if (row == present) canvas.icon(Icon::check, {r.x + 6, r.y + 6}, theme.text);
  canvas.text_in({r.x + 28, r.y, r.w - 36, r.h}, words_of_edit(list, row),
                 row == present ? TextStyle::control_strong : TextStyle::control,
                 row > present ? theme.text3 : theme.text);
  return item.clicked;
}

/// Draws the edits; returns the one that was clicked.
std::optional<std::size_t> draw_edits(ViewContext& context, HistoryList& list, const Rect& area, bool moved) {
  Ui& ui = context.ui;
  const std::size_t present = context.session.history_position();
  std::optional<std::size_t> clicked;
  std::optional<std::size_t> under_mouse;
  ScrollArea scroll(ui, "edits", area, edit_height * static_cast<float>(list.words.size()), ui.theme().raised);
  const auto row_at = [&](std::size_t i) {
    return Rect{scroll.content().x, scroll.content().y + edit_height * static_cast<float>(i), area.w, edit_height};
  };
  if (moved) scroll.reveal(row_at(list.row));
  for (std::size_t i = 0; i < list.words.size(); ++i) {
    const Rect row = row_at(i);
    if (row.bottom() < area.y || row.y > area.bottom()) continue;
    bool pointed_at = false;
    if (draw_edit(ui, row, list, i, present, pointed_at)) clicked = i;
    if (pointed_at) under_mouse = i;
  }
  if (under_mouse && !moved && std::exchange(list.row, *under_mouse) != *under_mouse) ui.request_frame();
  return clicked;
}

/// Whether an arrow key has chosen another edit.
bool moved_by_key(Ui& ui, HistoryList& list) {
  const std::size_t before = list.row;
  const std::size_t last = list.words.size() - 1;
  if (ui.take_key(Key::down) && list.row < last) ++list.row;
  if (ui.take_key(Key::up) && list.row > 0) --list.row;
  if (ui.take_key(Key::home)) list.row = 0;
  if (ui.take_key(Key::end)) list.row = last;
  if (list.row != before) ui.request_frame();
  return list.row != before;
}

void close_history(ViewContext& context) {
  context.memory.opened<HistoryList>().reset();
  context.ui.request_frame();
}

}  // namespace

void open_history(ViewContext& context, const Rect& beside) {
  HistoryList list;
  list.words = context.session.history_words();
  list.row = context.session.history_position();
  list.beside = beside;
  list.version = context.session.trace().version;
  context.memory.opened<HistoryList>() = std::move(list);
  context.ui.request_frame();
}

void open_history(ViewContext& context) { open_history(context, {16, top_bar_height, 0, 0}); }

void draw_history_list(ViewContext& context) {
  if (!context.memory.opened<HistoryList>()) return;
  Ui& ui = context.ui;
  HistoryList& list = *context.memory.opened<HistoryList>();
  if (list.version != context.session.trace().version) return close_history(context);
  ui.cover();
  const Layer layer(ui, "history", ui.surface());
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const Rect box = area_of_edits(ui, list);
  canvas.fill(box, theme.raised, 8);
  canvas.stroke(box, theme.outline, 1, 8);
  Rect area = box.inset(around_edits);
  canvas.text_in(area.cut_top(edits_heading).inset(12, 0), "All edits", TextStyle::control_strong, theme.text2);
  const bool fresh = std::exchange(list.fresh, false);
  const bool moved = moved_by_key(ui, list);
  std::optional<std::size_t> chosen = draw_edits(context, list, area, moved || fresh);
  if (ui.take_key(Key::enter) || ui.take_key(Key::space)) chosen = list.row;
  const bool beside = !fresh && (ui.mouse_clicked() || ui.right_clicked()) && !box.contains(ui.mouse());
  const bool dismissed = ui.take_key(Key::escape) || beside;
  ui.take_typing_keys();
  if (!chosen && !dismissed) return;
  close_history(context);
  if (chosen) context.session.go_to_history(*chosen);
}

}  // namespace headlight
