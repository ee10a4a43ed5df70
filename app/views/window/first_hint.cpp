#include "app/views/window/first_hint.hpp"

#include <cmath>
#include <string_view>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/overlays.hpp"

namespace headlight {
namespace {

/// From the shortest to the longest: as much is said as there is room for.
constexpr std::string_view first_hints[] = {
    "Point at a number.",
    "Point at a number to see where it comes from.",
    "Point at a number to see where it comes from. Click pins it, right-click offers more.",
    "Point at a number to see where it comes from. Click pins it, right-click offers more. ← → move through the "
    "lecture.",
};

std::string_view hint_for(const Canvas& canvas, float room) {
  std::string_view longest = first_hints[0];
  for (const std::string_view words : first_hints)
    if (canvas.width(words, TextStyle::caption) <= room) longest = words;
  return longest;
}

/// Whether the mouse has moved since the hint came to light.
bool has_moved(const Ui& ui, FirstHintMemory& memory) {
  constexpr float far = 8;
  if (ui.is_covered()) memory.mouse.reset();
  else if (!memory.mouse) memory.mouse = ui.mouse();
  if (!memory.mouse) return false;
  const Point moved = ui.mouse() - *memory.mouse;
  return std::abs(moved.x) + std::abs(moved.y) > far;
}

/// Whether a number was pointed at, or the lecture has moved on since the hint appeared.
bool is_followed(const ViewContext& context, FirstHintMemory& memory) {
  const SessionState& state = context.session.state();
  const bool another_lecture = !memory.at || memory.at->lecture != state.lesson.at.lecture;
  if (another_lecture) memory.at = state.lesson.at;
  const bool points = has_moved(context.ui, memory) && state.hovered;
  return points || state.pinned || memory.at->index != state.lesson.at.index;
}

}  // namespace

bool draw_first_hint(ViewContext& context, const Rect& bar, float left) {
  bool& wanted = context.memory.get<OverlaysMemory>().hint;
  if (!wanted) return false;
  if (is_followed(context, context.memory.get<FirstHintMemory>())) {
    wanted = false;
    context.ui.request_frame();
    return false;
  }
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const Rect cross{bar.right() - 28, bar.y, 24, bar.h};
  const std::string_view words = hint_for(canvas, cross.x - left - 28);
  const float width = canvas.width(words, TextStyle::caption);
  const float x = cross.x - 8 - width;
  canvas.disc({x - 12, bar.center().y + 0.5f}, 3.5f, theme.lamp);
  canvas.text({x, bar.y + 16.3f}, words, TextStyle::caption, theme.text);
  const Item item = ui.item("close hint", cross, {.focusable = false});
  canvas.icon_centered(Icon::cross, cross, item.hovered ? theme.text : theme.text3, 1.5f, 12);
  ui.tooltip(item, "Close the hint");
  if (item.clicked) wanted = false;
  return true;
}

}  // namespace headlight
