#include "app/views/story/over.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "app/session/actions/actions.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "app/views/story/linked_words.hpp"
#include "app/views/story/slide_code.hpp"
#include "app/views/story/story.hpp"

namespace headlight {
namespace {

struct Cover {
  std::string_view id;
  std::string_view label;
  float button_width;
  std::string_view action;
  std::string_view hide;
  float margin_above;
};

constexpr Cover code_cover{"code over", "Code", 52, "step.code", "Hide the code", 12};
constexpr Cover more_cover{"more over", "More", 56, "step.more", "Hide it", 16};
constexpr const Cover& cover_of(Over what) { return what == Over::code ? code_cover : more_cover; }

constexpr float margin = 28;
constexpr float widest = 820;  ///< of words: a longer line is hard to read

const MarkdownType more_type{TextStyle::reading, TextStyle::reading_strong, TextStyle::reading_number, 25};

/// Puts a card at the foot of the area and draws into it. Behind its links, which come first, a click closes it.
void draw_card(ViewContext& context, const Rect& area, const Cover& cover, float height, auto&& draw) {
  height = std::min(height + 2 * cover.margin_above, area.h);
  const Rect card{area.x, area.bottom() - height, area.w, height};
  const Layer layer(context.ui, cover.id, card);
  const Canvas canvas = context.ui.canvas();
  canvas.fill(card, canvas.theme().raised);
  canvas.fill({card.x, card.y, card.w, 1.5f}, canvas.theme().control);
  draw(canvas, card.inset(margin, cover.margin_above));
  const Action& action = *action_named(cover.action);
  const Item item = context.ui.item("close", card, {.focusable = false});
  context.ui.tooltip(item, cover.hide, action.keys());
  if (item.clicked) run(action, context.session);
}

}  // namespace

float over_button_width(Over what) { return cover_of(what).button_width; }

void draw_over_button(ViewContext& context, Over what, const Rect& area) {
  const Cover& cover = cover_of(what);
  const Action& action = *action_named(cover.action);
  if (button(context.ui, cover.action, area, cover.label,
             {.kind = ButtonKind::quiet,
              .selected = context.session.state().over == what,
              .tooltip = action.title,
              .keys = action.keys()}))
    run(action, context.session);
}

void draw_over(ViewContext& context, const Rect& area) {
  const Over what = context.session.state().over;
  if (what == Over::nothing || context.still) return;
  if (what == Over::code) {
    const std::string code = shown_story(context.session).code;
    if (code.empty()) return;
    const float height = slide_code_height(context.ui.canvas(), area.w - 2 * margin, code);
    return draw_card(context, area, code_cover, std::min(height, 0.8f * area.h),
                     [&](const Canvas& canvas, const Rect& inside) { draw_slide_code(canvas, inside, code); });
  }
  const Story story = step_story(context.session);
  if (!story.more) return;
  const float width = std::min(area.w - 2 * margin, widest);
  draw_card(context, area, more_cover, markdown_height(context.ui.canvas(), width, *story.more, more_type),
            [&](const Canvas& canvas, const Rect& inside) {
              linked_words(canvas, &context, {inside.center().x - width / 2, inside.y, width, 0}, *story.more,
                           more_type);
            });
}

}  // namespace headlight
