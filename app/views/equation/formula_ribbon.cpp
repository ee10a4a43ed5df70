#include "app/views/equation/formula_ribbon.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/equation.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

/// A piece of the formula, and the tensor that a click on it selects.
struct Word {
  std::string text;
  std::string subscript;
  TensorId target;
  float space = 6;
};

/// The words of the formula, from `first` up to `end`, that compute a tensor.
struct Making {
  TensorId tensor;
  std::size_t first;
  std::size_t end;
};

struct Formula {
  std::vector<Word> words;
  std::vector<Making> makings;

  void add(TensorId target, std::string text, std::string subscript = {}, float space = 6) {
    words.push_back({std::move(text), std::move(subscript), target, space});
  }
  /// Adds the tensor's own symbol.
  void add(TensorId tensor) {
    const Symbol symbol = symbol_of(tensor);
    makings.push_back({tensor, words.size(), words.size() + 1});
    add(tensor, symbol.base, symbol.subscript);
  }
  void made(TensorId tensor, std::size_t first) { makings.push_back({tensor, first, words.size()}); }

  bool lit(std::size_t word, TensorId tensor) const {
    for (const Making& making : makings)
      if (making.tensor == tensor && word >= making.first && word < making.end) return true;
    return false;
  }
};

/// Adds a stage's formula with every tensor as its symbol: "Q = X W_q + b_q".
void add_equation(Formula& formula, const Stage& stage, const Setup& setup) {
  const std::size_t first = formula.words.size();
  formula.add(stage.result, symbol_of(stage.result).base);
  formula.add(stage.result, "=");
  for (const Operand& operand : operands_of(stage, setup)) {
    if (operand.place == Operand::Place::added) formula.add(stage.result, "+");
    formula.add(operand.tensor);
  }
  formula.made(stage.result, first);
  formula.words.back().space = 28;
}

/// The formulas of the projections, which are computed before the heads are split.
Formula projections(const Setup& setup) {
  Formula formula;
  for (const Stage& stage : stages())
    if (stage.phase == Phase::project && stage.kind == StageKind::product) add_equation(formula, stage, setup);
  return formula;
}

/// Adds a tensor's formula, expanded down to split heads and weight matrices: "softmax ( Q · Kᵀ ÷ √d_head )".
void add_expanded(Formula& formula, TensorId tensor, const Setup& setup) {
  const Stage& stage = stage_of(tensor);
  if (stage.kind == StageKind::drawn || stage.phase == Phase::split) return formula.add(tensor);
  const std::size_t first = formula.words.size();
  const StageWords words = stage.words != nullptr ? stage.words(setup) : StageWords{};
  for (const FormulaWord& word : words.before) formula.add(tensor, word.text, word.subscript);
  for (const Operand& operand : operands_of(stage, setup)) {
    if (operand.place == Operand::Place::right) formula.add(tensor, "·");
    if (operand.place == Operand::Place::added) formula.add(tensor, "+");
    add_expanded(formula, operand.tensor, setup);
    if (operand.transposed) formula.words.back().text += "ᵀ";
  }
  for (const FormulaWord& word : words.after) formula.add(tensor, word.text, word.subscript);
  formula.made(tensor, first);
}

/// concat ( softmax ( Q · Kᵀ ÷ √d_head + mask ) · V ) · W_o
Formula attention(const Setup& setup) {
  Formula formula;
  add_expanded(formula, TensorId::output, setup);
  return formula;
}

bool before_attention(TensorId tensor) { return stage_of(tensor).phase <= Phase::project; }

struct Type {
  TextStyle plain;
  TextStyle strong;
};

float width_of(const Canvas& canvas, const Word& word, TextStyle style) {
  return canvas.width(word.text, style) + canvas.width(word.subscript, style, Script::sub);
}

float width_of(const Canvas& canvas, const Formula& formula, TensorId tensor, const Type& type) {
  float total = 0;
  for (std::size_t i = 0; i < formula.words.size(); ++i)
    total +=
        width_of(canvas, formula.words[i], formula.lit(i, tensor) ? type.strong : type.plain) + formula.words[i].space;
  return total;
}

Type type_that_fits(const Canvas& canvas, const Formula& formula, TensorId tensor, float width) {
  for (const Type& type :
       {Type{TextStyle::formula, TextStyle::formula_strong}, Type{TextStyle::body, TextStyle::body_strong}})
    if (width_of(canvas, formula, tensor, type) <= width) return type;
  return {TextStyle::caption, TextStyle::caption_strong};
}

Color ink_of(const Theme& theme, const Word& word, bool lit, bool hovered) {
  if (!lit) return hovered ? theme.text : theme.text3;
  const Role role = info(word.target).role;
  return role == Role::neutral ? theme.text : theme.identity(role);
}

}  // namespace

void draw_formula_ribbon(ViewContext& context, const Rect& area) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Setup& setup = context.session.setup();
  const TensorId tensor = context.session.selection().tensor;
  const Formula formula = before_attention(tensor) ? projections(setup) : attention(setup);
  const Type type = type_that_fits(canvas, formula, tensor, area.w);
  const float baseline = canvas.centered_baseline(area, type.plain);
  Point pen{area.x, baseline};
  ui.push_id("formula");
  for (std::size_t i = 0; i < formula.words.size(); ++i) {
    const Word& word = formula.words[i];
    const bool lit = formula.lit(i, tensor);
    const TextStyle style = lit ? type.strong : type.plain;
    const float width = width_of(canvas, word, style);
    ui.push_id(static_cast<int>(i));
    const Item item = ui.item("word", {pen.x - 2, area.y + 4, width + 4, area.h - 8}, {.focusable = false});
    ui.tooltip(item, name(word.target));
    ui.pop_id();
    if (item.clicked) context.session.select_tensor(word.target);
    const Color ink = ink_of(canvas.theme(), word, lit, item.hovered);
    const float base = canvas.text(pen, word.text, style, ink);
    canvas.text({pen.x + base, pen.y}, word.subscript, style, ink, Align::left, Script::sub);
    const bool runs_on = lit && i + 1 < formula.words.size() && formula.lit(i + 1, tensor);
    if (lit) canvas.fill({pen.x, area.center().y + 15, width + (runs_on ? word.space : 0), 3}, canvas.theme().lamp);
    pen.x += width + word.space;
  }
  ui.pop_id();
}

}  // namespace headlight
