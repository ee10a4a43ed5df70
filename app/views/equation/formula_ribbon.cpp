#include "app/views/equation/formula_ribbon.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/equation.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// A piece of the formula and the tensor that it leads to.
struct Word {
  std::string text;
  std::string subscript;
  TensorId target;
  float space = 6;
};

/// The words from `first` up to `end` make the tensor.
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
  /// A tensor by its own symbol.
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

void add_projection(Formula& formula, TensorId result, TensorId input, TensorId weight, TensorId bias,
                    const Setup& setup) {
  const std::size_t first = formula.words.size();
  formula.add(result, std::string(name(result)));
  formula.add(result, "=");
  formula.add(input);
  formula.add(weight);
  if (exists(bias, setup)) {
    formula.add(result, "+");
    formula.add(bias);
  }
  formula.made(result, first);
  formula.words.back().space = 28;
}

Formula projections(const Setup& setup) {
  const TensorId key_input = setup.is_cross() ? TensorId::Y : TensorId::X;
  Formula formula;
  add_projection(formula, TensorId::Q, TensorId::X, TensorId::W_q, TensorId::b_q, setup);
  add_projection(formula, TensorId::K, key_input, TensorId::W_k, TensorId::b_k, setup);
  add_projection(formula, TensorId::V, key_input, TensorId::W_v, TensorId::b_v, setup);
  return formula;
}

void add_scale(Formula& formula, const Setup& setup) {
  if (std::holds_alternative<InverseSqrtDHead>(setup.attention.scale)) formula.add(TensorId::scores, "÷ √d", "head");
  if (const double* number = std::get_if<double>(&setup.attention.scale))
    formula.add(TensorId::scores, fmt::format("× {:.4g}", *number));
  if (setup.attention.temperature != 1)
    formula.add(TensorId::scores, fmt::format("÷ {:.4g}", setup.attention.temperature));
}

/// softmax ( Q Kᵀ ÷ √d_head + mask ) V and what follows it.
Formula attention(const Setup& setup) {
  Formula formula;
  formula.add(TensorId::concat, "concat (");
  const bool drops = exists(TensorId::dropped_weights, setup);
  const std::size_t context = formula.words.size();
  if (drops) formula.add(TensorId::dropped_weights, "dropout (");
  const std::size_t weights = formula.words.size();
  formula.add(TensorId::weights, "softmax (");
  const std::size_t scores = formula.words.size();
  formula.add(TensorId::Q_heads);
  formula.add(TensorId::dot_products, "·");
  formula.add(TensorId::K_heads);
  formula.words.back().text = "Kᵀ";
  formula.made(TensorId::dot_products, scores);
  add_scale(formula, setup);
  formula.made(TensorId::scores, scores);
  formula.add(TensorId::masked_scores, "+ mask");
  formula.made(TensorId::masked_scores, scores);
  formula.add(TensorId::weights, ")");
  formula.made(TensorId::weights, weights);
  if (drops) {
    formula.add(TensorId::dropped_weights, ")");
    formula.made(TensorId::dropped_weights, context);
  }
  formula.add(TensorId::context, "·");
  formula.add(TensorId::V_heads);
  formula.made(TensorId::context, context);
  formula.add(TensorId::concat, ")");
  formula.made(TensorId::concat, 0);
  formula.add(TensorId::output, "·");
  formula.add(TensorId::W_o);
  if (exists(TensorId::b_o, setup)) {
    formula.add(TensorId::output, "+");
    formula.add(TensorId::b_o);
  }
  formula.made(TensorId::output, 0);
  return formula;
}

bool before_attention(TensorId tensor) {
  return tensor <= TensorId::V && tensor != TensorId::W_o && tensor != TensorId::b_o;
}

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
