#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/controls.hpp"
#include "app/views/overlays.hpp"
#include "app/views/sheet.hpp"
#include "app/views/view_memory.hpp"

namespace headlight {
namespace {

constexpr float line_height = 19;

/// One problem: where, what was found, what is allowed; returns the height. Nothing is drawn where `draw` is false.
float draw_problem(const Canvas& canvas, const Problem& problem, Point at, float width, bool draw) {
  const Theme& theme = canvas.theme();
  float y = at.y;
  const auto write = [&](const std::string& text, TextStyle style, Color color) {
    for (std::string_view line : canvas.wrapped(text, style, width)) {
      if (draw) canvas.text({at.x, y + 14}, line, style, color);
      y += line_height;
    }
  };
  const std::string place = problem.key.empty() ? problem.source
                            : problem.source.empty() ? problem.key : fmt::format("{}  {}", problem.source, problem.key);
  if (!place.empty()) write(place, TextStyle::code, theme.text3);
  if (!problem.found.empty()) write("found: " + problem.found, TextStyle::control, theme.text);
  if (!problem.allowed.empty()) write("allowed: " + problem.allowed, TextStyle::control, theme.text2);
  return y - at.y + 12;
}

}  // namespace

void draw_problems_card(ViewContext& context) {
  Ui& ui = context.ui;
  ShellMemory& memory = context.memory.shell;
  const float width = std::min(560.0f, ui.surface().w - 32) - 50;
  float content = 0;
  for (const Problem& problem : memory.problems) content += draw_problem(ui.canvas(), problem, {}, width, false);
  Sheet sheet(ui, "problems", 560, content + 36 + 32);
  bool closed = sheet.heading(memory.problems_title);
  {
    const ScrollArea scroll(ui, "list", sheet.area(), content);
    Point at = scroll.content().min();
    for (const Problem& problem : memory.problems) at.y += draw_problem(ui.canvas(), problem, at, width, true);
  }
  closed = sheet.dismissed() || closed;
  if (closed) memory.problems.clear();
}

void draw_open_card(ViewContext& context) {
  Ui& ui = context.ui;
  ShellMemory& memory = context.memory.shell;
  constexpr float row_height = 30;
  const auto recent = static_cast<float>(memory.recent_files.size());
  Sheet sheet(ui, "open file", 560, 36 + 32 + 40 + 34 + (recent > 0 ? 30 + recent * row_height : 0));
  bool closed = sheet.heading("Open a setup (.toml) or a lecture (.md)");
  Rect area = sheet.area();
  Rect line = area.cut_top(32);
  const Rect open = line.cut_right(72);
  line.cut_right(8);
  const bool enter = ui.take_key(Key::enter);
  text_field(ui, "##path", line, memory.path_text,
             {.focus_now = !ui.typing(), .hint = "Path of a file, or drop it onto the window"});
  const bool pressed =
      button(ui, "open", open, "Open", {.kind = ButtonKind::primary, .enabled = !memory.path_text.empty()});
  if ((enter || pressed) && !memory.path_text.empty()) memory.file_to_open = memory.path_text;
  if (recent > 0) {
    area.cut_top(12);
    ui.canvas().text_in(area.cut_top(26), "Recent files", TextStyle::control_strong, ui.theme().text2);
    for (std::size_t i = 0; i < memory.recent_files.size() && area.h >= row_height; ++i) {
      const Rect row = area.cut_top(row_height);
      const std::string& file = memory.recent_files[i];
      const std::size_t slash = file.rfind('/');
      const std::string title = slash == std::string::npos ? file : file.substr(slash + 1);
      ui.push_id(static_cast<int>(i));
      const Item item = ui.item("recent", row);
      ui.pop_id();
      const Canvas canvas = ui.canvas();
      if (item.hovered) canvas.fill(row, ui.theme().hover, 6);
      if (item.focused) canvas.focus_ring(row.inset(2));
      canvas.icon(Icon::file, {row.x + 8, row.y + 7}, ui.theme().text3);
      const float name = canvas.text({row.x + 32, canvas.centered_baseline(row, TextStyle::control)}, title,
                                     TextStyle::control, ui.theme().text);
      canvas.text_in({row.x + 44 + name, row.y, row.w - 52 - name, row.h}, file.substr(0, file.size() - title.size()),
                     TextStyle::caption, ui.theme().text3);
      if (item.clicked) memory.file_to_open = memory.recent_files[i];
    }
  }
  closed = sheet.dismissed() || closed;
  if (closed || memory.file_to_open) {
    memory.opening = false;
    memory.path_text.clear();
  }
}

}  // namespace headlight
