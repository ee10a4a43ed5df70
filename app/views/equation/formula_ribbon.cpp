#include "app/views/equation/formula_ribbon.hpp"

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/formula.hpp"

namespace headlight {
namespace {

struct Type {
  TextStyle plain;
  TextStyle strong;
};

constexpr Type smallest_type{TextStyle::caption, TextStyle::caption_strong};

float width_of(const Canvas& canvas, const FormulaPiece& word, TextStyle style) {
  return canvas.width(word.text, style) + canvas.width(word.subscript, style, Script::sub);
}

float width_of(const Canvas& canvas, const Formula& formula, TensorId tensor, const Type& type) {
  float total = 0;
  for (std::size_t i = 0; i < formula.pieces.size(); ++i)
    total += width_of(canvas, formula.pieces[i], formula.lit(i, tensor) ? type.strong : type.plain) +
             formula.pieces[i].space;
  return total;
}

Type type_that_fits(const Canvas& canvas, const Formula& formula, TensorId tensor, float width) {
  for (const Type& type :
       {Type{TextStyle::formula, TextStyle::formula_strong}, Type{TextStyle::body, TextStyle::body_strong}})
    if (width_of(canvas, formula, tensor, type) <= width) return type;
  return smallest_type;
}

Color ink_of(const Theme& theme, const FormulaPiece& word, bool lit, bool hovered) {
  if (!lit) return hovered ? theme.text : theme.text3;
  const Role role = info(word.target).role;
  return role == Role::neutral ? theme.text : theme.identity(role);
}

}  // namespace

float least_formula_width(const ViewContext& context) {
  const TensorId tensor = context.session.selection().tensor;
  return width_of(context.ui.canvas(), formula_of(tensor, context.session.setup()), tensor, smallest_type);
}

void draw_formula_ribbon(ViewContext& context, const Rect& area) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Setup& setup = context.session.setup();
  const TensorId tensor = context.session.selection().tensor;
  const Formula formula = formula_of(tensor, setup);
  const Type type = type_that_fits(canvas, formula, tensor, area.w);
  const float baseline = canvas.centered_baseline(area, type.plain);
  Point pen{area.x, baseline};
  ui.push_id("formula");
  for (std::size_t i = 0; i < formula.pieces.size(); ++i) {
    const FormulaPiece& word = formula.pieces[i];
    const bool lit = formula.lit(i, tensor);
    const TextStyle style = lit ? type.strong : type.plain;
    const float width = width_of(canvas, word, style);
    ui.push_id(static_cast<int>(i));
    const Item item = ui.item("word", {pen.x - 2, area.y + 4, width + 4, area.h - 8}, {.focusable = false});
    ui.tooltip(item, name(word.target));
    ui.pop_id();
    if (item.clicked) Selecting(context.session).select_tensor(word.target);
    const Color ink = ink_of(canvas.theme(), word, lit, item.hovered);
    const float base = canvas.text(pen, word.text, style, ink);
    canvas.text({pen.x + base, pen.y}, word.subscript, style, ink, Align::left, Script::sub);
    const bool runs_on = lit && i + 1 < formula.pieces.size() && formula.lit(i + 1, tensor);
    if (lit) canvas.fill({pen.x, area.center().y + 15, width + (runs_on ? word.space : 0), 3}, canvas.theme().lamp);
    pen.x += width + word.space;
  }
  ui.pop_id();
}

}  // namespace headlight
