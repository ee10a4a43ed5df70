#include "app/views/menus/context_menu.hpp"

#include <algorithm>
#include <utility>

#include "app/session/actions/actions.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {
namespace {

constexpr float row_height = 28;
constexpr float heading_height = 32;
constexpr float rule_height = 9;
constexpr float padding = 6;
constexpr float keys_gap = 28;

constexpr Chord menu_keys[] = {{Key::menu}, {.key = Key::f10, .shift = true}};

void open(ViewContext& context, ContextMenu menu) {
  menu.version = context.session.trace().version;
  context.memory.opened<ContextMenu>() = std::move(menu);
  context.ui.request_frame();
}

void open(ViewContext& context, const Rect& beside, const Target& target) {
  ContextMenu menu;
  menu.heading = words_of(target, context.session.setup());
  menu.target = target;
  menu.entries = menu_of(context.session, target);
  menu.beside = beside;
  open(context, std::move(menu));
}

void close(ViewContext& context) {
  context.memory.opened<ContextMenu>().reset();
  context.ui.request_frame();
}

/// Whether a separator is drawn above the entry.
bool begins_part(const ContextMenu& menu, std::size_t row) {
  return menu.target && row > 0 && menu.entries[row]->facts.menus.part != menu.entries[row - 1]->facts.menus.part;
}

float height_of_entries(const Ui& ui, const ContextMenu& menu) {
  float height = 0;
  for (std::size_t i = 0; i < menu.entries.size(); ++i)
    height += ui.reach(row_height) + (begins_part(menu, i) ? rule_height : 0);
  return height;
}

/// The menu's rectangle: below and to the right of its target, and inside the surface.
Rect area_of(const Ui& ui, const ContextMenu& menu) {
  const Canvas canvas = ui.canvas();
  float width = canvas.width(menu.heading, TextStyle::code_strong) + 24;
  for (const Action* const entry : menu.entries) {
    const std::string keys = entry->keys();
    const float caps = keys.empty() || ui.serves_finger() ? 0 : keys_gap + key_cap_width(canvas, keys);
    width = std::max(width, canvas.width(entry->title, TextStyle::control) + caps + 24);
  }
  const Rect screen = ui.surface();
  const float height = 2 * padding + (menu.heading.empty() ? 0 : heading_height) + height_of_entries(ui, menu);
  Rect area{menu.beside.x, menu.beside.bottom() + 2, std::min(width + 2 * padding, screen.w - 8),
            std::min(height, screen.h - 8)};
  if (area.bottom() > screen.bottom() - 4)
    area.y = std::max(4.0f, std::min(menu.beside.y, screen.bottom() - 4) - area.h);
  area.x = std::max(4.0f, std::min(area.x, screen.right() - area.w - 4));
  return area;
}

bool draw_entry(Ui& ui, const Rect& r, const Action& action, bool works, bool& chosen) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const Item item = ui.item(action.id, r, {.focusable = false});
  if (item.hovered && works) chosen = true;
  if (chosen) canvas.fill(r, theme.hover, 4);
  Rect words = r.inset(12, 0);
  if (const std::string keys = action.keys(); !keys.empty() && !ui.serves_finger()) {
    const float wide = key_cap_width(canvas, keys);
    key_cap(canvas, {words.right() - wide, canvas.centered_baseline(r, TextStyle::caption)}, keys);
    words.cut_right(wide + 12);
  }
  canvas.text_in(words, action.title, TextStyle::control, works ? theme.text : theme.text3);
  return item.clicked && works;
}

/// "Explain, E"
std::string said_of(const Action& action) {
  const std::string keys = action.keys();
  return keys.empty() ? action.title : action.title + ", " + keys;
}

/// The arrow keys move through the entries, and an entry's own keys choose it.
const Action* chosen_by_key(Ui& ui, ContextMenu& menu) {
  const std::size_t count = menu.entries.size();
  if (count == 0) return nullptr;
  if (ui.take_key(Key::down)) menu.row = menu.row ? (*menu.row + 1) % count : 0;
  if (ui.take_key(Key::up)) menu.row = menu.row ? (*menu.row + count - 1) % count : count - 1;
  if (ui.take_key(Key::home)) menu.row = 0;
  if (ui.take_key(Key::end)) menu.row = count - 1;
  const bool enter = ui.take_key(Key::enter) || ui.take_key(Key::space);
  if (enter && menu.row) return menu.entries[*menu.row];
  for (const Action* action : menu.entries)
    for (const Chord& chord : action->chords)
      if (ui.take_key(chord)) return action;
  return nullptr;
}

/// Draws the entries, which scroll where the window is too low for them; returns the one that was clicked.
const Action* draw_entries(ViewContext& context, ContextMenu& menu, Rect area) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const Action* clicked = nullptr;
  std::optional<std::size_t> pointed_at;
  std::optional<ScrollArea> scroll;
  if (const float height = height_of_entries(ui, menu); height > area.h + 1)
    area = scroll.emplace(ui, "entries", area, height, theme.raised).content();
  for (std::size_t i = 0; i < menu.entries.size(); ++i) {
    if (begins_part(menu, i))
      canvas.fill({area.x + 6, area.cut_top(rule_height).center().y, area.w - 12, 1}, theme.line);
    const Rect row = area.cut_top(ui.reach(row_height));
    const bool works = menu.target || menu.entries[i]->enabled(context.session);
    bool chosen = menu.row == i;
    const bool was = chosen;
    if (draw_entry(ui, row, *menu.entries[i], works, chosen)) clicked = menu.entries[i];
    if (chosen && !was) pointed_at = i;
  }
  if (pointed_at && std::exchange(menu.row, pointed_at) != pointed_at) ui.request_frame();
  return clicked;
}

/// The cell that the menu is about stays lit while the pointer is on the menu.
void keep_lit(ViewContext& context, const ContextMenu& menu) {
  const Session& session = context.session;
  if (!menu.target || menu.target->kind != TargetKind::cell || session.state().pinned) return;
  hover_cell(context, cell_of(menu.target->at, session.setup()));
}

void choose(ViewContext& context, const Action& action, const std::optional<Target>& target) {
  if (target) perform(context, action, *target);
  else perform(context, action);
}

}  // namespace

void offer_menu(ViewContext& context, const Rect& r, const Target& target) {
  Ui& ui = context.ui;
  if (context.still || !ui.right_clicked() || !ui.mouse_over(r)) return;
  open(context, {ui.mouse().x, ui.mouse().y, 0, 0}, target);
}

void offer_menu(ViewContext& context, const Rect& r, const Item& item, const Target& target) {
  offer_menu(context, r, target);
  if (!item.focused) return;
  for (const Chord& chord : menu_keys)
    if (context.ui.take_key(chord)) open(context, r, target);
}

void open_menu_of_cell(ViewContext& context) {
  const Rect centre = current_layout(context).centre;
  const Rect beside = context.memory.get<FrameMemory>().lit_cell.value_or(Rect{centre.x + 40, centre.y + 40, 0, 0});
  open(context, beside, shown_target(context.session));
  context.memory.opened<ContextMenu>()->row = 0;
}

void open_menu(ViewContext& context, const Rect& beside, std::vector<const Action*> entries) {
  ContextMenu menu;
  menu.entries = std::move(entries);
  menu.beside = beside;
  open(context, std::move(menu));
}

void draw_context_menu(ViewContext& context) {
  if (!context.memory.opened<ContextMenu>()) return;
  Ui& ui = context.ui;
  ContextMenu& menu = *context.memory.opened<ContextMenu>();
  if (menu.version != context.session.trace().version) return close(context);
  ui.cover();
  const Layer layer(ui, "context menu", ui.surface());
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const Rect box = area_of(ui, menu);
  canvas.fill(box, theme.raised, 8);
  canvas.stroke(box, theme.outline, 1, 8);
  Rect area = box.inset(padding);
  if (!menu.heading.empty())
    canvas.text_in(area.cut_top(heading_height).inset(12, 0), menu.heading, TextStyle::code_strong, theme.text2);
  keep_lit(context, menu);
  const Action* chosen = chosen_by_key(ui, menu);
  if (menu.row) ui.say(said_of(*menu.entries[*menu.row]));
  if (const Action* clicked = draw_entries(context, menu, area)) chosen = clicked;
  const bool clicked_now = !std::exchange(menu.fresh, false) && (ui.mouse_clicked() || ui.right_clicked());
  const bool beside = clicked_now && !box.contains(ui.mouse());
  const bool dismissed = beside || ui.take_key(Key::escape);
  ui.take_typing_keys();
  if (chosen == nullptr && !dismissed) return;
  const std::optional<Target> target = menu.target;
  close(context);
  if (chosen != nullptr) choose(context, *chosen, target);
}

}  // namespace headlight
