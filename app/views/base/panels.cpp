#include "app/views/base/panels.hpp"

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {
namespace {

constexpr float narrow_window = 700;
constexpr float low_window = 450;
/// A panel dragged narrower than this folds.
constexpr float folds_below = 170;

double& width_of(Display& display, SidePanel panel) {
  return panel == SidePanel::setup ? display.appearance.setup_width : display.appearance.inspector_width;
}

void fold(ViewContext& context, SidePanel panel) {
  if (has_sheets(context)) return context.memory.get<PanelsMemory>().sheet.reset();
  context.session.set_display(with_panel_folded(context.session.display(), panel, true));
  context.memory.get<PanelsMemory>().asked_for.reset();
}

void resize(ViewContext& context, SidePanel panel, float width) {
  if (width < folds_below) {
    fold(context, panel);
    return;
  }
  context.session.edit_display([&](Display& d) { width_of(d, panel) = static_cast<double>(width); });
}

void draw_edge(ViewContext& context, const Layout& layout, SidePanel panel) {
  const bool left = panel == SidePanel::setup;
  const Rect& r = left ? layout.setup : layout.inspector;
  const float x = left ? r.right() - 1 : r.x;
  context.ui.push_id(left ? "setup edge" : "inspector edge");
  const Item item = context.ui.item("edge", {x - 3, r.y, 7, r.h}, {.focusable = false});
  context.ui.pop_id();
  context.ui.claim_drag(item);
  if (item.double_clicked) {
    fold(context, panel);
    return;
  }
  if (item.hovered || item.held) context.ui.canvas().fill({x - 0.5f, r.y, 2, r.h}, context.ui.theme().outline);
  if (item.held && !item.pressed_now)
    resize(context, panel, left ? context.ui.mouse().x - r.x : r.right() - context.ui.mouse().x);
  context.ui.tooltip(item, "Drag to resize, double-click to fold",
                     action_named(left ? "panel.setup" : "panel.inspector")->keys());
}

}  // namespace

bool is_small_window(const ViewContext& context) {
  const auto own = static_cast<float>(context.session.display().appearance.scale);
  const Rect surface = context.ui.surface();
  return surface.w * own < narrow_window || surface.h * own < low_window;
}

bool has_sheets(const ViewContext& context) {
  return is_small_window(context) || in_lesson_mode(context.session) || on_sentence_page(context.session);
}

Layout current_layout(const ViewContext& context) {
  return layout_of(context.ui.surface(), context.session.display(), context.memory.get<PanelsMemory>().asked_for,
                   context.ui.serves_finger());
}

void open_panel(ViewContext& context, SidePanel panel) {
  context.ui.request_frame();
  if (has_sheets(context)) {
    context.memory.get<PanelsMemory>().sheet = panel;
    return;
  }
  context.memory.get<PanelsMemory>().asked_for = panel;
  context.session.set_display(with_panel_folded(context.session.display(), panel, false));
}

void toggle_panel(ViewContext& context, SidePanel panel) {
  if (is_folded(context, panel)) open_panel(context, panel);
  else fold(context, panel);
}

bool is_folded(const ViewContext& context, SidePanel panel) {
  if (has_sheets(context)) return context.memory.get<PanelsMemory>().sheet != panel;
  return is_folded(current_layout(context), panel);
}

Rect first_of_rail(const Ui& ui, const Rect& area) {
  const float size = ui.reach(28);
  return {area.x + (rail_width - size) / 2, area.y + 10, size, size};
}

void draw_inspector_rail(ViewContext& context, Rect area) {
  const Rect button = first_of_rail(context.ui, area);
  if (icon_button(context.ui, "open", button, Icon::chevron_left,
                  {.kind = ButtonKind::quiet,
                   .tooltip = "Open the inspector",
                   .keys = action_named("panel.inspector")->keys()}))
    open_panel(context, SidePanel::inspector);
  const bool pinned = context.session.state().pinned;
  if (icon_button(context.ui, "pin", button.moved(0, button.h + rail_gap), Icon::pin,
                  {.kind = ButtonKind::quiet,
                   .selected = pinned,
                   .tooltip = pinned ? "Unpin the cell" : "Pin the cell",
                   .keys = "P"}))
    run(*action_named("cell.pin"), context.session);
}

void draw_panel_edges(ViewContext& context, const Layout& layout) {
  if (!layout.setup_folded) draw_edge(context, layout, SidePanel::setup);
  if (!layout.inspector_folded) draw_edge(context, layout, SidePanel::inspector);
}

}  // namespace headlight
