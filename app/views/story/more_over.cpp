#include "app/views/story/more_over.hpp"

#include <algorithm>

#include "app/session/actions/actions.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "app/views/story/linked_words.hpp"
#include "app/views/story/story.hpp"

namespace headlight {
namespace {

constexpr float margin = 28;
constexpr float margin_above = 16;
constexpr float widest = 820;  ///< a longer line is hard to read

const MarkdownType more_type{TextStyle::reading, TextStyle::reading_strong, TextStyle::reading_number, 25};

const Action& more_action() { return *action_named("step.more"); }

}  // namespace

void draw_more_button(ViewContext& context, const Rect& area) {
  if (button(context.ui, "more of step", area, "More",
             {.kind = ButtonKind::quiet,
              .selected = context.session.state().over == Over::more,
              .tooltip = more_action().title,
              .keys = more_action().keys()}))
    run(more_action(), context.session);
}

void draw_more_over(ViewContext& context, const Rect& area) {
  if (context.session.state().over != Over::more || context.still) return;
  const Story story = step_story(context.session);
  if (!story.more) return;
  const float width = std::min(area.w - 2 * margin, widest);
  const float words = markdown_height(context.ui.canvas(), width, *story.more, more_type);
  const float height = std::min(words + 2 * margin_above, area.h);
  const Rect card{area.x, area.bottom() - height, area.w, height};
  const Layer layer(context.ui, "more over", card);
  const Canvas canvas = context.ui.canvas();
  canvas.fill(card, canvas.theme().raised);
  canvas.fill({card.x, card.y, card.w, 1.5f}, canvas.theme().control);
  linked_words(canvas, &context, {card.center().x - width / 2, card.y + margin_above, width, 0}, *story.more,
               more_type);
  // Behind the links, which come first.
  const Item item = context.ui.item("close", card, {.focusable = false});
  context.ui.tooltip(item, "Hide it", more_action().keys());
  if (item.clicked) run(more_action(), context.session);
}

}  // namespace headlight
