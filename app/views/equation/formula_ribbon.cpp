#include "app/views/equation/formula_ribbon.hpp"

#include <algorithm>
#include <utility>

#include "app/session/display/selection.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/equation.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

void add(Formula& formula, TensorId target, std::string text, std::string subscript = {}) {
  formula.pieces.push_back({std::move(text), std::move(subscript), target});
}

/// All pieces from `first` on compute the tensor.
void made(Formula& formula, TensorId tensor, std::size_t first) {
  formula.parts.push_back({tensor, first, formula.pieces.size()});
}

/// Adds the tensor's own symbol.
void add_symbol(Formula& formula, TensorId tensor) {
  const Symbol symbol = symbol_of(tensor);
  add(formula, tensor, symbol.base, symbol.subscript);
  made(formula, tensor, formula.pieces.size() - 1);
}

/// What a stage multiplies, as the picture shows it: with tokens in columns the other way round, "W X" and "Kᵀ Q".
struct Factor {
  TensorId tensor;
  bool turned_over = false;  ///< the product takes it the other way round than it is shown
};

std::vector<Factor> factors_of(const Stage& stage, const Setup& setup) {
  const bool product = stage.kind == StageKind::product;
  const bool columns = product && setup.attention.token_axis == TokenAxis::columns;
  std::vector<Factor> factors;
  for (const Operand& operand : operands_of(stage, setup)) {
    if (operand.slot == Slot::added) continue;
    const bool turned = (operand.transposed != columns) != shown_turned(operand.tensor, setup);
    factors.push_back({operand.tensor, product && turned});
  }
  if (columns) std::reverse(factors.begin(), factors.end());
  return factors;
}

/// A sum as a factor: "(X + P)".
void add_sum(Formula& formula, const Stage& stage, const Setup& setup) {
  const std::size_t first = formula.pieces.size();
  for (const Operand& operand : operands_of(stage, setup)) {
    add(formula, stage.result, operand.slot == Slot::added ? "+" : "(");
    add_symbol(formula, operand.tensor);
  }
  add(formula, stage.result, ")");
  made(formula, stage.result, first);
}

/// A product with every symbol by itself: "Q = X W_q + b_q", or "Q = (X + P) W_q + b_q".
void add_equation(Formula& formula, const Stage& stage, const Setup& setup) {
  const std::size_t first = formula.pieces.size();
  add(formula, stage.result, symbol_of(stage.result).base);
  add(formula, stage.result, "=");
  for (const Factor& factor : factors_of(stage, setup)) {
    const Stage& made_by = stage_of(factor.tensor);
    const bool is_one = made_by.kind == StageKind::given || made_by.kind == StageKind::window;
    if (is_one || operands_of(made_by, setup).empty() || made_by.kind == StageKind::norm)
      add_symbol(formula, factor.tensor);
    else add_sum(formula, made_by, setup);
    if (factor.turned_over) formula.pieces.back().text += "ᵀ";
  }
  if (const auto added = operand_at(stage, Slot::added, setup)) {
    add(formula, stage.result, "+");
    add_symbol(formula, added->tensor);
  }
  made(formula, stage.result, first);
  formula.pieces.back().space = 28;
}

/// The formulas of the projections, which are computed before the heads are split.
Formula projections(const Setup& setup) {
  Formula formula;
  for (const Stage& stage : stages())
    if (stage.phase == Phase::project && stage.kind == StageKind::product) add_equation(formula, stage, setup);
  return formula;
}

/// Adds the tensor written out down to the split heads and to what is made from no other tensor:
/// "softmax ( Q · Kᵀ ÷ √d_head )".
void add_expanded(Formula& formula, TensorId tensor, const Setup& setup) {
  const Stage& stage = stage_of(tensor);
  if (operands_of(stage, setup).empty() || is_drawn(tensor, setup) ||
      (stage.phase == Phase::split && stage.kind == StageKind::window))
    return add_symbol(formula, tensor);
  const std::size_t first = formula.pieces.size();
  const StageWords words = stage.words(setup);
  for (const FormulaWord& word : words.before) add(formula, tensor, word.text, word.subscript);
  bool first_factor = true;
  for (const Factor& factor : factors_of(stage, setup)) {
    if (!std::exchange(first_factor, false)) add(formula, tensor, "·");
    add_expanded(formula, factor.tensor, setup);
    if (factor.turned_over) formula.pieces.back().text += "ᵀ";
  }
  for (const FormulaWord& word : words.after) add(formula, tensor, word.text, word.subscript);
  if (const auto added = operand_at(stage, Slot::added, setup)) {
    add(formula, tensor, "+");
    add_expanded(formula, added->tensor, setup);
  }
  made(formula, tensor, first);
}

/// Where nothing else is known.
Formula weights_alone() {
  Formula formula;
  add_symbol(formula, TensorId::weights);
  return formula;
}

/// The path back from the loss: "loss → output → concat → context → V". Of several paths it is the first. The first
/// steps behind the loss can be left out: "loss → · · · → context → V". The last two stay.
Formula backward_formula(TensorId gradient, const Setup& setup, std::size_t left_out = 0) {
  std::vector<TensorId> passed{without_gradient(gradient)};
  for (auto paths = gradient_paths(passed.back(), setup); !paths.empty(); paths = gradient_paths(passed.back(), setup))
    passed.push_back(paths.front().through->result);
  std::vector<TensorId> shown;
  for (auto tensor = passed.rbegin(); tensor != passed.rend(); ++tensor) {
    // Heads are the same numbers as what they are split from, and have its symbol.
    const bool again = tensor + 1 != passed.rend() && symbol_of(*(tensor + 1)).base == symbol_of(*tensor).base;
    if (!again || *tensor == passed.front()) shown.push_back(*tensor);
  }
  constexpr std::size_t kept = 3;  // the loss, and the last two
  left_out = shown.size() > kept ? std::min(left_out, shown.size() - kept) : 0;
  Formula formula;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i > 0 && i < left_out) continue;
    const TensorId step = gradient_of(shown[i]);
    if (i > 0) add(formula, step, "→");
    const bool is_gap = i > 0 && i == left_out;
    const Symbol symbol = symbol_of(shown[i]);
    add(formula, step, is_gap ? "· · ·" : symbol.base, is_gap ? std::string() : symbol.subscript);
    if (!is_gap) made(formula, step, formula.pieces.size() - (i > 0 ? 3 : 1));
  }
  if (is_drawn(passed.front(), setup)) add(formula, gradient, "→ next step");
  for (FormulaPiece& piece : formula.pieces) piece.space = 8;
  return formula;
}

// --- Its ribbon ------------------------------------------------------------------------------------------------------

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

/// The way back from the loss can be longer than the area is wide: then it leaves out steps behind the loss.
Formula formula_in(const Canvas& canvas, TensorId tensor, const Setup& setup, float width) {
  Formula formula = formula_of(tensor, setup);
  if (!is_gradient(tensor)) return formula;
  for (std::size_t left_out = 1; width_of(canvas, formula, tensor, smallest_type) > width; ++left_out) {
    Formula shorter = backward_formula(tensor, setup, left_out);
    if (shorter.pieces.size() == formula.pieces.size() && left_out > 1) break;  // nothing more can go
    formula = std::move(shorter);
  }
  return formula;
}

Color ink_of(const Theme& theme, const FormulaPiece& word, bool lit, bool hovered) {
  if (!lit) return hovered ? theme.text : theme.text3;
  return theme.identity(info(word.target).role, theme.text);
}

}  // namespace

bool Formula::lit(std::size_t piece, TensorId tensor) const {
  return std::ranges::any_of(
      parts, [&](const Part& part) { return part.tensor == tensor && piece >= part.first && piece < part.end; });
}

Formula formula_of(TensorId tensor, const Setup& setup) {
  if (is_gradient(tensor)) return backward_formula(tensor, setup);
  if (is_drawn(TensorId::weights, setup)) return weights_alone();
  if (stage_of(tensor).phase <= Phase::project) return projections(setup);
  Formula formula;
  add_expanded(formula, TensorId::output, setup);
  return formula;
}

float least_formula_width(const ViewContext& context) {
  const TensorId tensor = context.session.selection().tensor;
  return width_of(context.ui.canvas(), formula_of(tensor, context.session.setup()), tensor, smallest_type);
}

void draw_formula_ribbon(ViewContext& context, const Rect& area) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Setup& setup = context.session.setup();
  const TensorId tensor = context.session.selection().tensor;
  const Formula formula = formula_in(canvas, tensor, setup, area.w);
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
