#include "app/views/inspector/inspector_column.hpp"

#include <vector>

#include <fmt/format.h>

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/menus/context_menu.hpp"

namespace headlight {
namespace {

/// "h1", "q2", "k0", "3": an index with the letter of its axis.
std::string index_text(Axis axis, Index index) {
  switch (axis) {
    case Axis::head:
    case Axis::kv_head: return fmt::format("h{}", index);
    case Axis::query:
    case Axis::token: return fmt::format("q{}", index);
    case Axis::key: return fmt::format("k{}", index);
    case Axis::position: return fmt::format("p{}", index);
    default: return fmt::format("{}", index);
  }
}

Color index_ink(const Theme& theme, Axis axis) {
  if (axis == Axis::query || axis == Axis::token) return theme.query;
  return axis == Axis::key ? theme.key : theme.text2;
}

}  // namespace

float Column::line() const { return context.ui.reach(24); }

bool Column::visible(const Rect& r) const {
  const Rect clip = context.ui.canvas().clip();
  return r.bottom() >= clip.y && r.y <= clip.bottom();
}

void draw_section(Column& column, std::string_view title, std::string_view right) {
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  column.space(12);
  canvas.fill({column.x - 20, column.y, column.width + 40, 1}, theme.line);
  const Rect row = column.row(38);
  canvas.text_in(row, title, TextStyle::control_strong, theme.text);
  const float left = row.w - canvas.width(title, TextStyle::control_strong) - 12;
  canvas.text_in(row, canvas.ellipsized(right, TextStyle::control, left), TextStyle::control, theme.text3,
                 Align::right);
}

void draw_paragraph(Column& column, std::string_view words, TextStyle style, Color ink, float line) {
  const Canvas canvas = column.context.ui.canvas();
  for (std::string_view text : canvas.wrapped(words, style, column.width))
    canvas.text_in(column.row(line), text, style, ink);
}

void offer_cell_menu(Column& column, const Rect& r, const Cell& cell) {
  const Session& session = column.context.session;
  // A menu is about the layer that is shown; a click on the link shows the cell's own.
  if (cell.layer != session.setup().layer) return;
  offer_menu(column.context, r, {TargetKind::cell, at_cell(session.selection(), cell, session.setup())});
}

bool cell_link(Column& column, std::string_view id, const Rect& r, std::string_view text, TextStyle style, Color ink,
               const Cell& cell, Align align) {
  Ui& ui = column.context.ui;
  const Canvas canvas = ui.canvas();
  const Item item = ui.item(id, r, {.focusable = false});
  canvas.text_in(r, text, style, ink, align);
  if (item.hovered) {
    const float width = std::min(r.w, canvas.width(text, style));
    canvas.fill({align == Align::right ? r.right() - width : r.x, r.center().y + 8, width, 1}, ink);
    if (!column.context.session.state().pinned) ui.tooltip(item, text_of(cell, column.context.session.setup()));
  }
  if (item.clicked && cell.layer == column.context.session.setup().layer) Selecting(column.context.session).pin(cell);
  else if (item.clicked)  // the rest of the frame is still about the layer that was shown when it began
    column.context.memory.get<FrameMemory>().after_frame = [cell](Session& session) { Selecting(session).pin(cell); };
  offer_cell_menu(column, r, cell);
  return item.clicked;
}

std::vector<Run> cell_runs(const Theme& theme, const Cell& cell, const Setup& setup, TextStyle style,
                           std::vector<std::string>& storage) {
  const TensorInfo& about = info(cell.tensor);
  storage.clear();
  storage.reserve(2 * static_cast<std::size_t>(about.rank) + 2);
  std::vector<Run> runs;
  const auto add = [&](std::string text, Color ink) {
    storage.push_back(std::move(text));
    runs.push_back({storage.back(), style, ink});
  };
  const bool has_layer = setup.sizes.layers > 1 && !about.is_of_model();
  add(fmt::format("{}{}[", has_layer ? fmt::format("L{}.", cell.layer) : "", about.name), theme.text2);
  for (int axis = 0; axis < about.rank; ++axis) {
    const Axis what = about.axes[static_cast<std::size_t>(axis)];
    if (axis > 0) add(", ", theme.text2);
    add(index_text(what, cell.index[axis]), index_ink(theme, what));
  }
  add("]", theme.text2);
  return runs;
}

Color factor_ink(const Theme& theme, const Factor& factor) {
  if (!factor.cell) return theme.text2;
  return theme.identity(info(factor.cell->tensor).role, theme.text);
}

}  // namespace headlight
