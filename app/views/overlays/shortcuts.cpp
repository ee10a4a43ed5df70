#include "app/views/overlays/overlays.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/machine.hpp"
#include "app/session/actions/actions.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/overlays/sheet.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr float shortcut_height = 26;
constexpr float group_gap = 14;
constexpr float column_width = 320;

/// A key, and the action that a click on it runs; null for gestures of the mouse.
struct LineKey {
  std::string cap;
  const Action* action = nullptr;
};

/// A click on the line does the same as its first key.
struct Line {
  std::string title;
  std::vector<LineKey> keys;

  const Action* action() const { return keys.front().action; }
};

struct Group {
  std::string_view title;
  std::vector<Line> lines;

  float height() const { return shortcut_height * static_cast<float>(lines.size() + 1) + group_gap; }
};

/// The action table as a list: actions without keys are left out, and those that select a head become one line.
std::vector<Group> groups(const Session& session) {
  std::vector<Group> all;
  for (const Action& action : actions()) {
    const std::vector<Chord> chords = chords_now(action, session);
    if (chords.empty()) continue;
    if (all.empty() || all.back().title != action.group) all.push_back({action.group, {}});
    std::vector<Line>& lines = all.back().lines;
    const bool one_head = action.id.starts_with("head.") && action.id.size() == 6;
    if (!one_head || action.id == "head.0") lines.push_back({std::string(one_head ? "Head 0 to 9" : action.title), {}});
    for (const Chord& chord : chords) lines.back().keys.push_back({to_string(chord), &action});
  }
  all.push_back({"Focus", {{"Next or previous control", {{"Tab"}, {"Shift+Tab"}}}}});
  if (constexpr Chord next{Key::f6}, before{.key = Key::f6, .shift = true}; !is_taken(next))
    all.back().lines.push_back({"Next or previous part of the window", {{to_string(next)}, {to_string(before)}}});
  const std::string paint = keys_now(*action_named("mask.paint"), session);
  all.push_back({"Mouse",
                 {{"Menu of a number, token, head, tensor", {{"Right click"}}},
                  {"Zoom about the pointer", {{"Wheel"}}},
                  {"Zoom where the wheel scrolls", {{"Ctrl+wheel"}}},
                  {"Larger or smaller interface, elsewhere", {{"Ctrl+wheel"}}},
                  {"Move a zoomed matrix", {{"Drag"}, {"Middle drag"}}},
                  {"Fit it again", {{"Double-click"}}},
                  {paint.empty() ? "Paint the mask" : "Paint the mask, after " + paint, {{"Drag"}}},
                  {"Type a value", {{"Click"}}},
                  {"Change a value", {{"Drag"}, {"Ctrl+wheel"}}}}});
  return all;
}

/// Groups in columns, each filled before the next one begins.
std::vector<std::vector<Group>> columns_of(std::vector<Group> all, std::size_t count) {
  float total = 0;
  for (const Group& group : all) total += group.height();
  std::vector<std::vector<Group>> columns(1);
  float filled = 0;
  for (Group& group : all) {
    const float height = group.height();
    if (columns.size() < count && filled > 0 && filled + height / 2 > total / static_cast<float>(count)) {
      columns.emplace_back();
      filled = 0;
    }
    filled += height;
    columns.back().push_back(std::move(group));
  }
  return columns;
}

float height_of(const std::vector<Group>& column) {
  float height = 0;
  for (const Group& group : column) height += group.height();
  return height;
}

/// "Next step: Page Down or Enter"
std::string said_of(const Line& line) {
  std::vector<std::string_view> caps;
  for (const LineKey& key : line.keys) caps.emplace_back(key.cap);
  return fmt::format("{}: {}", line.title, listed(caps));
}

/// Draws a line; returns the action that was clicked.
const Action* draw_line(Ui& ui, const Session& session, const Line& line, ScrollArea& scroll, Rect row) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const auto works = [&](const Action* action) { return action != nullptr && action->enabled(session); };
  const Rect ground{row.x - 8, row.y, row.w + 12, row.h};
  const bool hovered = works(line.action()) && ui.mouse_over(ground);
  if (hovered) canvas.fill(ground, theme.hover, 4);
  const Action* clicked = nullptr;
  for (auto key = line.keys.rbegin(); key != line.keys.rend(); ++key) {
    const float width = key_cap_width(canvas, key->cap);
    const Rect cap{row.right() - width, row.y, width, row.h};
    key_cap(canvas, {cap.x, canvas.centered_baseline(row, TextStyle::caption)}, key->cap);
    if (works(key->action) && ui.item(key->cap, cap, {.focusable = false}).clicked) clicked = key->action;
    row.cut_right(width + 5);
  }
  const bool mouse_only = line.action() == nullptr;
  canvas.text_in(row, line.title, TextStyle::control,
                 hovered                              ? theme.text
                 : mouse_only || works(line.action()) ? theme.text2
                                                      : theme.text3);
  const Rect words{ground.x, row.y, row.right() - ground.x, row.h};
  const Item item = ui.item(line.action() != nullptr ? line.action()->id : line.title, words);
  ui.say_control(item, said_of(line), works(line.action()) ? "button" : "key");
  if (item.focused) canvas.focus_ring(ground.inset(0, 1), 4);
  if (item.focused && ui.memory().focus_moved) scroll.reveal(ground.outset(shortcut_height));
  if (item.clicked && works(line.action())) clicked = line.action();
  return clicked;
}

const Action* draw_group(Ui& ui, const Session& session, const Group& group, ScrollArea& scroll, Rect area) {
  ui.canvas().text_in(area.cut_top(shortcut_height), group.title, TextStyle::control_strong, ui.theme().text);
  const Action* clicked = nullptr;
  ui.push_id(group.title);
  for (const Line& line : group.lines)
    if (const Action* action = draw_line(ui, session, line, scroll, area.cut_top(shortcut_height))) clicked = action;
  ui.pop_id();
  return clicked;
}

}  // namespace

void draw_shortcuts(ViewContext& context) {
  Ui& ui = context.ui;
  const float room = ui.surface().w - 72;
  const auto count = static_cast<std::size_t>(std::clamp(room / (column_width + 32), 1.0f, 3.0f));
  const auto columns = columns_of(groups(context.session), count);
  float tallest = 0;
  for (const auto& column : columns) tallest = std::max(tallest, height_of(column));
  const auto across = static_cast<float>(columns.size());
  Sheet sheet(ui, "shortcuts", across * column_width + (across - 1) * 32 + 50, Sheet::height_around(ui, tallest));
  bool closed = sheet.heading("Keys");
  const Rect area = sheet.area();
  const Action* clicked = nullptr;
  {
    ScrollArea scroll(ui, "keys", area, tallest, ui.theme().panel);
    const float width = (area.w - 10 - (across - 1) * 32) / across;
    float x = area.x;
    ui.begin_list("lines");
    for (const auto& column : columns) {
      float y = scroll.content().y;
      for (const Group& group : column) {
        if (const Action* action = draw_group(ui, context.session, group, scroll, {x, y, width, group.height()}))
          clicked = action;
        y += group.height();
      }
      x += width + 32;
    }
    ui.end_list();
  }
  closed = sheet.dismissed() || closed;
  if (!closed && clicked == nullptr) return;
  context.session.edit_display([](Display& d) { d.overlay = Overlay::none; });
  if (clicked != nullptr && clicked->id != "shortcuts") perform(context, *clicked);
}

}  // namespace headlight
