// The pipeline view: the picture that explains the selected tensor, with narration and formula.
#include "app/views/base/views.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/equation/equation_pictures.hpp"
#include "app/views/equation/formula_ribbon.hpp"
#include "app/views/heads/head_column.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/tensors/mask_brush.hpp"

namespace headlight {
namespace {

/// Below this a picture scrolls instead of shrinking further.
constexpr float lowest_picture = 240;
/// Where words and picture have less height, both scroll, and then have all the height that they need.
constexpr float lowest_unscrolled = 300;
constexpr float height_scrolled = 560;

float planned_height(const ViewContext& context, float height) {
  if (context.bare()) return height;
  if (context.wordless) return std::max(height, lowest_picture);
  return height < lowest_unscrolled ? height_scrolled : height;
}
constexpr float narrowest_with_heads = 600;
constexpr float padding = 24;
constexpr float narrow_padding = 16;

/// How well the picture can be read. Words in the quadrant of a product get their place.
PictureFit fit_of(const ViewContext& context, EquationKind kind, const EquationPictures& pictures,
                  Arrangement& arrangement, const Story& story) {
  switch (kind) {
    case EquationKind::product: return fit_product(context, pictures, arrangement, story);
    case EquationKind::elementwise: return fit_elementwise(context, pictures, arrangement);
    case EquationKind::pieces: return fit_pieces(context, pictures, arrangement);
    case EquationKind::alone: break;
  }
  return fit_alone(context, pictures, arrangement.picture);
}

void draw_picture(ViewContext& context, const Equation& equation, const Arrangement& arrangement) {
  const EquationPictures pictures = pictures_of(context, equation);
  switch (equation.kind) {
    case EquationKind::product: return draw_product(context, equation, pictures, arrangement);
    case EquationKind::elementwise: return draw_elementwise(context, equation, pictures, arrangement);
    case EquationKind::pieces: return draw_pieces(context, pictures, arrangement);
    case EquationKind::alone: return draw_alone(context, pictures, arrangement.picture);
  }
}

/// The tensors of the equation, and how they are turned.
std::vector<Index> parts_of(const Equation& equation) {
  std::vector<Index> parts{static_cast<Index>(equation.kind)};
  const auto add = [&](const ShownTensor& shown) {
    parts.push_back(static_cast<Index>(shown.tensor) * 2 + (shown.transposed ? 1 : 0));
  };
  for (const ShownTensor& shown : {equation.result, equation.left, equation.right, equation.before}) add(shown);
  for (const auto& shown : {equation.bias, equation.twin}) {
    if (shown) add(*shown);
    else parts.push_back(-1);
  }
  return parts;
}

bool has_masked(const Equation& equation) {
  if (equation.twin) return false;  // the mask is painted on the way forward
  if (equation.kind == EquationKind::product)
    return info(equation.left.tensor).masked || info(equation.right.tensor).masked;
  return info(equation.result.tensor).masked;
}

constexpr float beside_formula = 16;

/// The formula, and the brush beside it where something can be painted and both have room.
void draw_last_line(ViewContext& context, Rect line, const Equation& equation) {
  const bool paints = has_masked(equation) && !context.still && action_named("mask.paint")->enabled(context.session);
  if (paints && line.w - paint_button_width - beside_formula >= least_formula_width(context)) {
    const Rect end = line.cut_right(paint_button_width);
    draw_paint_button(context, {end.x, end.center().y - 14, end.w, 28});
    line.cut_right(beside_formula);
  }
  draw_formula_ribbon(context, line);
}

}  // namespace

void draw_equation_view(ViewContext& context, Rect area) {
  const Session& session = context.session;
  Equation equation = equation_of(session.selection().tensor, session.setup());
  if (matrix_choices(session, equation.result.tensor).alone) {
    const ShownTensor result = equation.result;
    equation = {};
    equation.result = result;
  }
  const Story story = beside_play(context, story_of(session));
  const bool narrow = area.w < narrowest_with_heads;
  Rect rest = context.presenting ? area : area.inset(narrow ? narrow_padding : padding, narrow ? 10 : 16);
  const Rect ribbon = rest.cut_bottom(context.presenting ? 0 : formula_ribbon_height);
  if (!context.presenting) rest.cut_bottom(6);
  const bool many_heads = info(equation.result.tensor).has_heads() && session.setup().sizes.heads > 1;
  const bool may_show_heads = many_heads && equation.kind != EquationKind::pieces && !narrow && !context.bare();
  Rect planned = rest;
  planned.h = planned_height(context, rest.h);
  std::optional<EquationPictures> pictures;  // the same for all arrangements that are tried
  const auto fit = [&](Arrangement& tried, const Story& measured) {
    if (!pictures) pictures = pictures_of(context, equation);
    return fit_of(context, equation.kind, *pictures, tried, measured);
  };
  Arrangement arrangement = arranged(context, planned, story,
                                     {.fit = fit,
                                      .has_quadrant = equation.kind == EquationKind::product,
                                      .has_rows = equation.kind != EquationKind::alone,
                                      .beside = may_show_heads ? head_column_width + padding : 0,
                                      .depends_on = parts_of(equation)});
  if (may_show_heads && !arrangement.rung.gives(Concession::heads)) {
    Rect beside = rest;
    draw_head_column(context, beside.cut_right(head_column_width), equation.result.tensor);
  }
  {
    // Pictures keep a margin for bands and rings, which are a little outside the cells.
    const Rect viewport = rest.outset(6);
    const ScrollArea scroll(context.ui, "picture", viewport, planned.h + 12, context.ui.theme().canvas);
    const float down = scroll.content().y + 6 - rest.y;
    arrangement.story = arrangement.story.moved(0, down);
    arrangement.picture = arrangement.picture.moved(0, down);
    arrangement.code = arrangement.code.moved(0, down);
    draw_arranged(context, arrangement, story);
    draw_picture(context, equation, arrangement);
  }
  if (!context.presenting) draw_last_line(context, ribbon, equation);
}

}  // namespace headlight
