#include "app/views/equation/equation.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/display/selection.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

/// Whether the stage splits a tensor into heads or joins them, and doesn't only hand it on.
bool is_of_heads(const Stage& stage) {
  const auto has_heads = [](const Operand& operand) { return info(operand.tensor).has_heads(); };
  return info(stage.result).has_heads() || std::ranges::any_of(stage.operands, has_heads);
}

EquationKind kind_of(const Stage& stage) {
  switch (stage.kind) {
    case StageKind::drawn:
    case StageKind::given: return EquationKind::alone;
    case StageKind::product: return EquationKind::product;
    case StageKind::elementwise:
    case StageKind::rotation:
    case StageKind::norm:
    case StageKind::rowwise: return EquationKind::elementwise;
    case StageKind::window: return is_of_heads(stage) ? EquationKind::pieces : EquationKind::elementwise;
    case StageKind::reduced:
    case StageKind::looked_up:
    case StageKind::gradient: return EquationKind::alone;
  }
  return EquationKind::alone;
}

/// Whether what one picture shows is all that comes back: a gradient of a weight adds up over the batch, and one of
/// keys over the query heads that share them.
bool comes_back_whole(TensorId tensor, const Setup& setup) {
  const TensorInfo& about = info(tensor);
  return (about.has_batch() || setup.sizes.batch == 1) &&
         (!about.has_kv_heads() || setup.kv_heads() == setup.sizes.heads);
}

/// C = A B gives grad_A = grad_C Bᵀ and grad_B = Aᵀ grad_C, each as it is in the product.
void put_product_back(Equation& equation, const GradientPath& path, bool turned, const Setup& setup) {
  const Stage& stage = *path.through;
  const bool left = path.operand.slot == Operand::Slot::left;
  const Operand other = *operand_at(stage, left ? Operand::Slot::right : Operand::Slot::left, setup);
  ShownTensor a{gradient_of(stage.result), false}, b{other.tensor, !other.transposed};
  if (!left) std::swap(a, b);
  if (path.operand.transposed) {  // what is wanted is the gradient of the operand as it is stored
    std::swap(a, b);
    a.transposed = !a.transposed;
    b.transposed = !b.transposed;
  }
  a.transposed = a.transposed != turned;
  b.transposed = b.transposed != turned;
  equation.kind = EquationKind::product;
  equation.result.transposed = turned;
  equation.left = turned ? b : a;
  equation.right = turned ? a : b;
}

Equation equation_back(TensorId gradient, const Setup& setup) {
  const bool turned = setup.attention.token_axis == TokenAxis::columns;
  const TensorId tensor = without_gradient(gradient);
  Equation equation;
  equation.result = {gradient, shown_turned(tensor, setup)};
  equation.twin = ShownTensor{tensor, shown_turned(tensor, setup)};
  const std::vector<GradientPath> paths = gradient_paths(tensor, setup);
  if (paths.size() != 1 || !comes_back_whole(tensor, setup)) return equation;
  const GradientPath& path = paths.front();
  const EquationKind kind = kind_of(*path.through);
  const bool is_handed_on = path.through->kind == StageKind::window && kind != EquationKind::pieces;
  if (kind == EquationKind::alone || is_handed_on || path.operand.slot == Operand::Slot::added) return equation;
  equation.path = path;
  if (kind == EquationKind::product) {
    put_product_back(equation, path, turned, setup);
    equation.twin->transposed = equation.result.transposed;
    return equation;
  }
  equation.kind = kind;
  equation.before = {gradient_of(path.through->result), turned};
  return equation;
}

}  // namespace

Equation equation_of(TensorId tensor, const Setup& setup) {
  if (is_gradient(tensor)) return equation_back(tensor, setup);
  const bool turned = setup.attention.token_axis == TokenAxis::columns;
  const Stage& stage = stage_of(tensor);
  Equation equation;
  equation.kind = is_drawn(tensor, setup) ? EquationKind::alone : kind_of(stage);
  equation.result = {tensor, shown_turned(tensor, setup)};
  if (equation.kind == EquationKind::alone) return equation;
  if (const auto added = operand_at(stage, Operand::Slot::added, setup))
    equation.bias = ShownTensor{added->tensor, turned};
  const Operand left = *operand_at(stage, Operand::Slot::left, setup);
  if (stage.kind != StageKind::product) {
    equation.before = {left.tensor, turned};
    return equation;
  }
  const Operand right = *operand_at(stage, Operand::Slot::right, setup);
  const ShownTensor a{left.tensor, left.transposed != turned};
  const ShownTensor b{right.tensor, right.transposed != turned};
  equation.result.transposed = turned;
  equation.left = turned ? b : a;
  equation.right = turned ? a : b;
  return equation;
}

std::string words_of(const GradientPath& path, const Setup& setup) {
  const Stage& stage = *path.through;
  switch (stage.kind) {
    case StageKind::product: {
      if (path.operand.slot == Operand::Slot::added) return "+";
      const bool left = path.operand.slot == Operand::Slot::left;
      const Operand other = *operand_at(stage, left ? Operand::Slot::right : Operand::Slot::left, setup);
      const Symbol symbol = symbol_of(other.tensor);
      const std::string turned = symbol.base + symbol.subscript + (other.transposed ? "" : "ᵀ");
      return left ? "· " + turned : turned + " ·";
    }
    case StageKind::rowwise: return "softmax′";
    case StageKind::rotation: return "rotated back";
    case StageKind::norm: return "norm′";
    case StageKind::reduced: return "−1 / p";
    case StageKind::window:
      if (info(path.operand.tensor).has_heads()) return "split heads";
      return info(stage.result).has_heads() ? "join heads" : stage.words(setup).below;
    default: return stage.words(setup).below;
  }
}

Symbol symbol_of(TensorId tensor) {
  if (is_gradient(tensor)) {
    Symbol symbol = symbol_of(without_gradient(tensor));
    symbol.base.insert(0, "∂");
    return symbol;
  }
  const std::string_view symbol = info(tensor).symbol;
  const std::size_t cut = symbol.find('_');
  if (cut == std::string_view::npos) return {std::string(symbol), ""};
  return {std::string(symbol.substr(0, cut)), std::string(symbol.substr(cut + 1))};
}

std::vector<std::string> title_words(TensorId tensor, Index batch, Index head, const Setup& setup) {
  const TensorInfo& about = info(tensor);
  std::vector<std::string> words;
  if (!about.words.empty()) words.emplace_back(about.words);
  if (setup.sizes.layers > 1 && !about.is_of_model()) words.push_back(fmt::format("layer {}", setup.layer));
  if (about.has_heads()) {
    const bool ablated = !about.has_kv_heads() && setup.is_ablated(head);
    const bool shared = about.has_kv_heads() && setup.kv_heads() != setup.sizes.heads;
    words.push_back((shared ? fmt::format("head {}", setup.kv_head_of(head)) : head_words(head, setup)) +
                    (ablated ? ", ablated" : ""));
  }
  if (about.has_batch() && setup.sizes.batch > 1) words.push_back(fmt::format("item {}", batch));
  return words;
}

}  // namespace headlight
