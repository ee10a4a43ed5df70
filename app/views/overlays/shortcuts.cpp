#include "app/views/overlays/shortcuts.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "app/session/actions/actions.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/overlays/sheet.hpp"

namespace headlight {
namespace {

constexpr float row_height = 26;
constexpr float group_gap = 14;
constexpr float column_width = 320;

struct Line {
  std::string title;
  std::vector<std::string> keys;
};

struct Group {
  std::string_view title;
  std::vector<Line> lines;

  float height() const { return row_height * static_cast<float>(lines.size() + 1) + group_gap; }
};

/// The action table for reading: actions without keys are left out, and those that select a head become one line.
std::vector<Group> groups() {
  std::vector<Group> all;
  for (const Action& action : actions()) {
    if (action.chords.empty()) continue;
    if (all.empty() || all.back().title != action.group) all.push_back({action.group, {}});
    std::vector<Line>& lines = all.back().lines;
    if (action.id == "head.0") lines.push_back({"Head 0 to 8", {"1", "…", "9"}});
    if (action.id.starts_with("head.") && action.id.size() == 6) continue;
    Line line{std::string(action.title), {}};
    for (const Chord& chord : action.chords) line.keys.push_back(to_string(chord));
    lines.push_back(std::move(line));
  }
  all.push_back({"Mouse",
                 {{"Zoom about the pointer", {"Wheel"}},
                  {"Zoom where the wheel scrolls", {"Ctrl+wheel"}},
                  {"Move a zoomed matrix", {"Drag", "Middle drag"}},
                  {"Fit it again", {"Double-click"}},
                  {"Paint the mask, after Shift+M", {"Drag"}},
                  {"Type a slider's number", {"Ctrl+click"}}}});
  return all;
}

/// Groups side by side, each column filled before the next one begins.
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

void draw_group(const Canvas& canvas, const Group& group, Rect area) {
  const Theme& theme = canvas.theme();
  canvas.text_in(area.cut_top(row_height), group.title, TextStyle::control_strong, theme.text);
  for (const Line& line : group.lines) {
    Rect row = area.cut_top(row_height);
    for (auto key = line.keys.rbegin(); key != line.keys.rend(); ++key) {
      const float width = key_cap_width(canvas, *key);
      key_cap(canvas, {row.right() - width, canvas.centered_baseline(row, TextStyle::caption)}, *key);
      row.cut_right(width + 5);
    }
    canvas.text_in(row, line.title, TextStyle::control, theme.text2);
  }
}

}  // namespace

void draw_shortcuts(ViewContext& context) {
  Ui& ui = context.ui;
  const float room = ui.surface().w - 72;
  const auto count = static_cast<std::size_t>(std::clamp(room / (column_width + 32), 1.0f, 3.0f));
  const auto columns = columns_of(groups(), count);
  float tallest = 0;
  for (const auto& column : columns) tallest = std::max(tallest, height_of(column));
  const auto across = static_cast<float>(columns.size());
  Sheet sheet(ui, "shortcuts", across * column_width + (across - 1) * 32 + 50, tallest + 36 + 32);
  bool closed = sheet.heading("Keys");
  const Rect area = sheet.area();
  {
    const ScrollArea scroll(ui, "keys", area, tallest, ui.theme().panel);
    const float width = (area.w - 10 - (across - 1) * 32) / across;
    float x = area.x;
    for (const auto& column : columns) {
      float y = scroll.content().y;
      for (const Group& group : column) {
        draw_group(ui.canvas(), group, {x, y, width, group.height()});
        y += group.height();
      }
      x += width + 32;
    }
  }
  closed = sheet.dismissed() || closed;
  if (!closed) return;
  Display display = context.session.display();
  display.overlay = Overlay::none;
  context.session.set_display(display);
}

}  // namespace headlight
