#include "app/views/story/code_over.hpp"

#include <algorithm>

#include "app/session/actions/actions.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/story/draw_story.hpp"
#include "app/views/story/story.hpp"

namespace headlight {
namespace {

constexpr float margin_beside_code = 28;
constexpr float margin_above_code = 12;

const Action& code_action() { return *action_named("step.code"); }

}  // namespace

std::string code_of_picture(const Session& session) {
  return (session.display().view == View::pipeline ? story_of(session) : step_story(session)).code;
}

void draw_code_button(ViewContext& context, const Rect& area) {
  if (button(context.ui, "code", area, "Code",
             {.kind = ButtonKind::quiet,
              .selected = context.session.state().code_over,
              .tooltip = code_action().title,
              .keys = code_action().keys()}))
    run(code_action(), context.session);
}

void draw_code_over(ViewContext& context, const Rect& area) {
  if (!context.session.state().code_over || context.still) return;
  const std::string code = code_of_picture(context.session);
  if (code.empty()) return;
  const Canvas canvas = context.ui.overlay();
  const float width = area.w - 2 * margin_beside_code;
  const float height = std::min(slide_code_height(canvas, width, code) + 2 * margin_above_code, 0.8f * area.h);
  const Rect card{area.x, area.bottom() - height, area.w, height};
  const Layer layer(context.ui, "code over", card);
  const Item item = context.ui.item("close", card, {.focusable = false});
  context.ui.tooltip(item, "Hide the code", code_action().keys());
  canvas.fill(card, canvas.theme().raised);
  canvas.fill({card.x, card.y, card.w, 1.5f}, canvas.theme().control);
  draw_slide_code(canvas, card.inset(margin_beside_code, margin_above_code), code);
  if (item.clicked) run(code_action(), context.session);
}

}  // namespace headlight
