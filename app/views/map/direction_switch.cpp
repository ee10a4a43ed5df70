#include "app/views/map/pipeline_map.hpp"

#include <string_view>

#include "app/session/actions/actions.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/perform.hpp"

namespace headlight {
namespace {

constexpr float with_words = 132;
constexpr float with_arrows = 66;
constexpr float least_for_words = 1180;  ///< of the map
constexpr float switch_margin = 16;

}  // namespace

float direction_switch_width(const Rect& map) { return map.w >= least_for_words ? with_words : with_arrows; }

void draw_direction_switch(ViewContext& context, Rect area) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const bool words = area.w >= with_words;
  const bool back = is_gradient(context.session.selection().tensor);
  const float each = area.h < 100 ? 24 : 28;
  const Rect frame{area.x + switch_margin, area.center().y - each - 2 - (area.h > 140 ? 4.0f : 0.0f),
                   area.w - switch_margin - 4, 2 * each + 4};
  canvas.fill(frame, theme.field, 6);
  canvas.stroke(frame, theme.control, 1, 6);
  ui.push_id("direction");
  for (const bool backward : {false, true}) {
    const Rect half{frame.x + 2, frame.y + 2 + (backward ? each : 0), frame.w - 4, each};
    const Item item = ui.item(backward ? "backward" : "forward", half);
    const bool on = backward == back;
    if (on) canvas.fill(half, theme.hover, 4);
    if (on) canvas.stroke(half, theme.outline, 1, 4);
    const Color ink = on || item.hovered ? theme.text : theme.text3;
    const float x = words ? half.x + 8 : half.center().x - 8;
    canvas.icon(backward ? Icon::backward : Icon::forward, {x, half.center().y - 8}, ink);
    if (words)
      canvas.text_in({half.x + 30, half.y, half.w - 32, half.h}, backward ? "Backward" : "Forward",
                     on ? TextStyle::control_strong : TextStyle::control, ink);
    if (item.focused) canvas.focus_ring(half);
    ui.tooltip(item,
               backward ? "Backward: the gradient of each number, that is, how the loss changes with it"
                        : "Forward: the numbers",
               "G");
    if (item.clicked && !on) perform(context, *action_named("gradient.toggle"));
  }
  ui.pop_id();
  if (area.h <= 140) return;
  if (!words) canvas.text({frame.x, area.y + 27}, back ? "Backward" : "Forward", TextStyle::control, theme.text2);
  canvas.text({frame.x, area.y + 150}, back ? "gradients" : "values", TextStyle::caption, theme.text3);
}

}  // namespace headlight
