#include "app/views/story/code_over.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/session/actions/actions.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/story/story.hpp"

namespace headlight {
namespace {

constexpr float margin_beside_code = 28;
constexpr float margin_above_code = 12;

constexpr float slide_code_indent = 11;

struct SlideCode {
  TextStyle style = TextStyle::mono;
  std::vector<std::string_view> lines;
};

/// The height of a line, which is larger where all type is.
float line_of(const Canvas& canvas, TextStyle style) {
  constexpr float least = 16;
  return std::max(least, std::ceil(1.2f * text_size(canvas.shown_as(style))));
}

SlideCode slide_code_of(const Canvas& canvas, float width, std::string_view code) {
  while (!code.empty() && code.back() == '\n') code.remove_suffix(1);
  const auto lines = static_cast<std::size_t>(std::ranges::count(code, '\n')) + 1;
  SlideCode shown{TextStyle::mono, canvas.wrapped(code, TextStyle::mono, width - slide_code_indent)};
  if (shown.lines.size() <= lines) return shown;
  return {TextStyle::code, canvas.wrapped(code, TextStyle::code, width - slide_code_indent)};
}

const Action& code_action() { return *action_named("step.code"); }

}  // namespace

float slide_code_height(const Canvas& canvas, float width, std::string_view code) {
  const SlideCode shown = slide_code_of(canvas, width, code);
  return line_of(canvas, shown.style) * static_cast<float>(shown.lines.size()) + 3;
}

void draw_slide_code(const Canvas& canvas, Rect area, std::string_view code) {
  const auto [style, lines] = slide_code_of(canvas, area.w, code);
  canvas.fill({area.x, area.y, 2, area.h}, canvas.theme().control);
  for (std::string_view line : lines) {
    const Rect row = area.cut_top(line_of(canvas, style));
    canvas.text({row.x + slide_code_indent, canvas.centered_baseline(row, style) + 1}, line, style,
                canvas.theme().text);
  }
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
  const std::string code = shown_story(context.session).code;
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
