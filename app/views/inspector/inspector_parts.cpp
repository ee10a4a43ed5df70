#include "app/views/inspector/inspector_parts.hpp"

#include <fmt/format.h>

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/menus/context_menu.hpp"
#include "core/stages/table.hpp"

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

float line_with_links(const Ui& ui) { return ui.reach(24); }

Box number_row(ViewContext& context, std::string label, std::string number, TextStyle style) {
  const Theme& theme = context.ui.theme();
  return row({words(std::move(label), TextStyle::control, theme.text2).high(22),
              words(std::move(number), style, theme.text).ended()});
}

Box rule(ViewContext& context) {
  return drawn({}, 10, [&context](Ui& ui, const Rect& r) {
    ui.canvas().fill({r.x, r.y + 5, r.w, 1}, context.ui.theme().line_strong);
  });
}

void offer_cell_menu(ViewContext& context, const Rect& r, const Cell& cell) {
  const Session& session = context.session;
  // A menu is about the layer that is shown; a click on the link shows the cell's own.
  if (cell.layer != session.setup().layer) return;
  offer_menu(context, r, {TargetKind::cell, at_cell(session.selection(), cell, session.setup())});
}

void draw_cell_link(ViewContext& context, std::string_view id, const Rect& r, std::string_view text, TextStyle style,
                    Color ink, const Cell& cell, Align align) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Item item = ui.item(id, r);
  canvas.text_in(r, text, style, ink, align);
  if (item.hovered || item.focused) {
    const float width = std::min(r.w, canvas.width(text, style));
    const Rect around{align == Align::right ? r.right() - width : r.x, r.y, width, r.h};
    if (item.focused) canvas.focus_ring(around.inset(-1, 3), 4);
    canvas.fill({around.x, r.center().y + 8, width, 1}, ink);
    const std::string name = text_of(cell, context.session.setup());
    if (item.hovered && !context.session.state().pinned) ui.tooltip(item, name);
    ui.say_focused(item, name + ", link");
  }
  if (item.clicked && cell.layer == context.session.setup().layer) Selecting(context.session).pin(cell);
  else if (item.clicked)  // the rest of the frame is still about the layer that was shown when it began
    context.memory.get<FrameMemory>().after_frame = [cell](Session& session) { Selecting(session).pin(cell); };
  offer_cell_menu(context, r, cell);
}

Box cell_link(ViewContext& context, std::string id, const Cell& cell, std::string text, Color ink) {
  const float width = context.ui.canvas().width(text, TextStyle::code);
  return drawn({width, width}, line_with_links(context.ui),
               [&context, id = std::move(id), text = std::move(text), ink, cell](Ui&, const Rect& r) {
                 draw_cell_link(context, id, r, text, TextStyle::code, ink, cell);
               });
}

Box cell_link(ViewContext& context, std::string id, const Cell& cell) {
  const Theme& theme = context.ui.theme();
  return cell_link(context, std::move(id), cell, text_of(cell, context.session.setup()),
                   theme.identity(info(cell.tensor).role, theme.text2));
}

Box cell_name(const Theme& theme, const Cell& cell, const Setup& setup, TextStyle style) {
  const TensorInfo& about = info(cell.tensor);
  Boxes parts;
  const bool has_layer = setup.sizes.layers > 1 && !about.is_of_model();
  parts.push_back(
      words(fmt::format("{}{}[", has_layer ? fmt::format("L{}.", cell.layer) : "", about.name), style, theme.text2));
  for (int axis = 0; axis < about.rank; ++axis) {
    const Axis what = about.axes[static_cast<std::size_t>(axis)];
    if (axis > 0) parts.push_back(words(", ", style, theme.text2));
    parts.push_back(words(index_text(what, cell.index[axis]), style, index_ink(theme, what)));
  }
  parts.push_back(words("]", style, theme.text2));
  return row(std::move(parts), 0).unbroken();
}

Color factor_ink(const Theme& theme, const Factor& factor) {
  if (!factor.cell) return theme.text2;
  return theme.identity(info(factor.cell->tensor).role, theme.text);
}

}  // namespace headlight
