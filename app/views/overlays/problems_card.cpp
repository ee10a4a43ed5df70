#include "app/views/overlays/problems_card.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/sheet.hpp"

namespace headlight {
namespace {

constexpr float line_height = 19;

/// One problem: its source, what was found, what is allowed. Returns the height; only measures if `draw` is false.
float draw_problem(const Canvas& canvas, const Problem& problem, Point at, float width, bool draw) {
  const Theme& theme = canvas.theme();
  float y = at.y;
  const auto write = [&](const std::string& text, TextStyle style, Color color) {
    for (std::string_view line : canvas.wrapped(text, style, width)) {
      if (draw) canvas.text({at.x, y + 14}, line, style, color);
      y += line_height;
    }
  };
  const std::string where = problem.key.empty()      ? problem.source
                            : problem.source.empty() ? problem.key
                                                     : fmt::format("{}  {}", problem.source, problem.key);
  if (!where.empty()) write(where, TextStyle::code, theme.text3);
  if (!problem.found.empty()) write("found: " + problem.found, TextStyle::control, theme.text);
  if (!problem.allowed.empty()) write("allowed: " + problem.allowed, TextStyle::control, theme.text2);
  return y - at.y + 12;
}

/// A message may hold a command or a line of code, and is worth sending to someone who can help.
void offer_copy(ViewContext& context, std::string_view id, const Rect& r, const Problem& problem) {
  const Item item = context.ui.item(id, r);
  if (item.focused) context.ui.canvas().focus_ring(r);
  context.ui.tooltip(item, "Click to copy");
  context.ui.say_control(item, problem.message(), "button");
  if (!item.clicked) return;
  context.session.request(CopyText{problem.message()});
  context.session.notify("Copied the message");
}

/// Nobody reads more of them before mending these.
std::span<const Problem> first_of(const std::vector<Problem>& problems) {
  constexpr std::size_t most = 20;
  return std::span(problems).first(std::min(problems.size(), most));
}

constexpr float button_row = 40;

/// Returns whether the button at the end of the row was clicked, or Enter was pressed.
bool draw_offer(Ui& ui, const Rect& row, const std::string& words) {
  const float width = std::min(row.w, ui.canvas().width(words, TextStyle::control) + 32);
  return button(ui, "offer", {row.right() - width, row.bottom() - 30, width, 30}, words,
                {.kind = ButtonKind::primary, .keys = "Enter"}) ||
         ui.take_key(Key::enter);
}

}  // namespace

void draw_problems_card(ViewContext& context) {
  Ui& ui = context.ui;
  auto& memory = context.memory.get<ProblemsCard>();
  const float width = std::min(560.0f, ui.surface().w - 32) - 50;
  float content = 0;
  const std::span<const Problem> shown = first_of(memory.problems);
  for (const Problem& problem : shown) content += draw_problem(ui.canvas(), problem, {}, width, false);
  const float offered = memory.offer ? button_row : 0;
  Sheet sheet(ui, "problems", 560, Sheet::height_around(ui, content + offered));
  bool closed =
      sheet.heading(shown.size() == memory.problems.size() ? memory.title
                                                           : fmt::format("{}: {} problems, and these are the first",
                                                                         memory.title, memory.problems.size()));
  Rect area = sheet.area();
  const Rect row = area.cut_bottom(offered);
  {
    const ScrollArea scroll(ui, "list", area, content, ui.theme().panel);
    Point at = scroll.content().min();
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const float height = draw_problem(ui.canvas(), shown[i], at, width, true);
      offer_copy(context, fmt::format("problem {}", i), {at.x, at.y, width, height - 12}, shown[i]);
      at.y += height;
    }
  }
  if (memory.offer && draw_offer(ui, row, memory.offer->words)) {
    if (context.session.edit(memory.offer->setup).empty()) {
      Selecting(context.session).select_tensor(memory.offer->tensor);
      context.session.notify(memory.offer->done);
    }
    closed = true;
  }
  closed = sheet.dismissed() || closed;
  if (closed) memory = {};
}

}  // namespace headlight
