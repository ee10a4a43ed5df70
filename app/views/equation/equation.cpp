#include "app/views/equation/equation.hpp"

#include <vector>

#include <fmt/format.h>

#include "app/session/selection.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

EquationKind kind_of(const Stage& stage) {
  switch (stage.kind) {
    case StageKind::drawn:
    case StageKind::given: return EquationKind::alone;
    case StageKind::product: return EquationKind::product;
    case StageKind::elementwise:
    case StageKind::rotation:
    case StageKind::rowwise: return EquationKind::elementwise;
    case StageKind::window: return EquationKind::pieces;
    case StageKind::reduced:
    case StageKind::gradient: return EquationKind::alone;
  }
  return EquationKind::alone;
}

}  // namespace

Equation equation_of(TensorId tensor, const Setup& setup) {
  const bool turned = setup.attention.token_axis == TokenAxis::columns;
  const Stage& stage = stage_of(tensor);
  Equation equation;
  equation.kind = kind_of(stage);
  equation.result = {tensor, shown_turned(tensor, setup)};
  if (equation.kind == EquationKind::alone) return equation;
  if (const auto added = operand_at(stage, Operand::Place::added, setup))
    equation.bias = ShownTensor{added->tensor, turned};
  const Operand left = *operand_at(stage, Operand::Place::left, setup);
  if (stage.kind != StageKind::product) {
    equation.before = {left.tensor, turned};
    return equation;
  }
  const Operand right = *operand_at(stage, Operand::Place::right, setup);
  const ShownTensor a{left.tensor, left.transposed != turned};
  const ShownTensor b{right.tensor, right.transposed != turned};
  equation.result.transposed = turned;
  equation.left = turned ? b : a;
  equation.right = turned ? a : b;
  return equation;
}

Symbol symbol_of(TensorId tensor) {
  const std::string_view symbol = info(tensor).symbol;
  const std::size_t cut = symbol.find('_');
  if (cut == std::string_view::npos) return {std::string(symbol), ""};
  return {std::string(symbol.substr(0, cut)), std::string(symbol.substr(cut + 1))};
}

std::vector<std::string> title_words(TensorId tensor, Index batch, Index head, const Setup& setup) {
  const TensorInfo& about = info(tensor);
  std::vector<std::string> words;
  if (!about.words.empty()) words.emplace_back(about.words);
  if (about.has_heads()) {
    const bool ablated = !about.has_kv_heads() && setup.attention.is_ablated(head);
    words.push_back(
        fmt::format("head {}{}", about.has_kv_heads() ? setup.kv_head_of(head) : head, ablated ? ", ablated" : ""));
  }
  if (about.has_batch() && setup.sizes.batch > 1) words.push_back(fmt::format("item {}", batch));
  return words;
}

}  // namespace headlight
