#include "app/views/window/page_frame.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/session/actions/actions.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/menus/context_menu.hpp"

namespace headlight {
namespace {

constexpr float page_width = 760;
constexpr float page_height = 430;
constexpr float roomy_margins_from = 1000;
constexpr float widest_page = 1320;

}  // namespace

bool has_room_for_page(const ViewContext& context) {
  const Rect surface = context.ui.surface();
  // As a tablet that is held upright: a picture beside words would have half the width, with other room below it.
  const bool is_tall = surface.h > surface.w && surface.w < roomy_margins_from;
  return !is_small_window(context) && surface.w >= page_width && surface.h >= page_height && !is_tall;
}

Rect page_of(const Rect& surface) {
  const float margin = std::max(surface.w >= roomy_margins_from ? 52.0f : 28.0f, (surface.w - widest_page) / 2);
  return surface.inset(margin, 0);
}

void draw_page_mark(ViewContext& context, Rect& row) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const Rect logo{row.x, row.center().y - 10, 24, 20};
  const Rect tapped = logo.outset(ui.serves_finger() ? 12 : 6);
  const Item start = ui.item("logo", tapped);
  if (start.hovered) canvas.fill(tapped, theme.hover, 6);
  if (start.focused) canvas.focus_ring(tapped);
  canvas.mark(logo.min(), theme.lamp);
  const Action& action = *action_named("file.start");
  ui.tooltip(start, action.title, action.keys());
  ui.say_control(start, action.title, "button");
  if (start.clicked) perform(context, action);
  row.cut_left(36);
}

void draw_page_menu(ViewContext& context, Rect& row, std::vector<const Action*> entries) {
  const float size = context.ui.reach(32);
  const Rect menu = row.cut_right(size).inset(0, (row.h - size) / 2).moved(6, 0);
  if (icon_button(context.ui, "menu", menu, Icon::menu, {.kind = ButtonKind::quiet, .tooltip = "Everything else"}))
    open_menu(context, menu, std::move(entries));
  row.cut_right(14);
}

void draw_workbench_button(ViewContext& context, Rect& row) {
  constexpr std::string_view words = "Open the workbench";
  const Action& workbench = *action_named("workbench");
  const float width = context.ui.canvas().width(words, TextStyle::control_strong) + 24;
  if (button(context.ui, "workbench", row.cut_right(width).moved(12, 0), words,
             {.kind = ButtonKind::quiet, .keys = workbench.keys()}))
    perform(context, workbench);
}

bool takes_enter(ViewContext& context) {
  Ui& ui = context.ui;
  return !ui.memory().focus_visible && !ui.typing() && !ui.is_covered() && ui.take_key(Key::enter);
}

}  // namespace headlight
