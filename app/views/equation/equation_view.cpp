#include "app/views/equation/equation_view.hpp"

#include <algorithm>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/elementwise_view.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/equation/formula_ribbon.hpp"
#include "app/views/equation/pieces_view.hpp"
#include "app/views/equation/product_view.hpp"
#include "app/views/heads/head_column.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/mask_brush.hpp"

namespace headlight {
namespace {

/// Below this the picture scrolls instead of shrinking further.
constexpr float lowest_picture = 240;
constexpr float narrowest_with_heads = 600;
constexpr float padding = 24;
constexpr float narrow_padding = 16;

constexpr float below_story = 12;
constexpr float least_of_story = 0.8f;  ///< share of the story that must fit above; the rest is reached by scrolling

/// A story too long for a product's empty quadrant becomes a band over the whole width, if enough height is left below.
StoryPlace place_story(ViewContext& context, Rect& area, const Equation& equation, float beside) {
  if (equation.kind != EquationKind::product) return StoryPlace::quadrant;
  if (context.still) return StoryPlace::elsewhere;
  Rect picture = area;
  picture.cut_right(beside);
  const float wanted = story_band_height(context, area.w);
  const float band = std::min(wanted, area.h - lowest_picture - below_story);
  if (band < least_of_story * wanted || story_fits_quadrant(context, picture, equation)) return StoryPlace::quadrant;
  draw_story_band(context, area.cut_top(band));
  area.cut_top(below_story);
  return StoryPlace::elsewhere;
}

void draw_picture(ViewContext& context, const Rect& area, const Equation& equation, StoryPlace story) {
  switch (equation.kind) {
    case EquationKind::product: return draw_product(context, area, equation, story);
    case EquationKind::elementwise: return draw_elementwise(context, area, equation);
    case EquationKind::pieces: return draw_pieces(context, area, equation);
    case EquationKind::alone: return draw_alone(context, area, equation);
  }
}

bool has_masked(const Equation& equation) {
  if (equation.kind == EquationKind::product)
    return info(equation.left.tensor).masked || info(equation.right.tensor).masked;
  return info(equation.result.tensor).masked;
}

/// The formula, and the brush beside it where something can be painted.
void draw_last_line(ViewContext& context, Rect line, const Equation& equation) {
  if (has_masked(equation) && !context.still) {
    const Rect end = line.cut_right(paint_button_width);
    draw_paint_button(context, {end.x, end.center().y - 14, end.w, 28});
    line.cut_right(16);
  }
  draw_formula_ribbon(context, line);
}

}  // namespace

void draw_equation_view(ViewContext& context, Rect area) {
  const Session& session = context.session;
  const Equation equation = equation_of(session.selection().tensor, session.setup());
  const bool narrow = area.w < narrowest_with_heads;
  Rect rest = area.inset(narrow ? narrow_padding : padding, narrow ? 10 : 16);
  const Rect ribbon = rest.cut_bottom(formula_ribbon_height);
  rest.cut_bottom(6);
  const bool many_heads = info(equation.result.tensor).has_heads() && session.setup().sizes.heads > 1;
  const bool shows_heads = many_heads && equation.kind != EquationKind::pieces && !narrow && !context.still;
  const StoryPlace story = place_story(context, rest, equation, shows_heads ? head_column_width + padding : 0);
  if (shows_heads) {
    const Rect heads = rest.cut_right(head_column_width);
    rest.cut_right(padding);
    draw_head_column(context, heads, equation.result.tensor);
  }
  {
    // Pictures keep a margin for bands and rings, which stand a little outside the cells.
    const Rect viewport = rest.outset(6);
    const float lowest = context.still ? 0 : lowest_picture;
    const ScrollArea scroll(context.ui, "picture", viewport, std::max(lowest, rest.h) + 12, context.ui.theme().canvas);
    const float beside_bar = lowest > rest.h ? rest.w - 8 : rest.w;
    draw_picture(context, {rest.x, scroll.content().y + 6, beside_bar, scroll.content().h - 12}, equation, story);
  }
  draw_last_line(context, ribbon, equation);
}

}  // namespace headlight
