#include "core/diagnose/mistakes/products.hpp"

#include "core/stages/graph.hpp"

namespace headlight {

std::optional<Tensor> with_transposed_weight(Attempt& attempt) {
  const TensorId weight = operand_at(stage_of(attempt.at), Operand::Slot::right, attempt.setup())->tensor;
  const Shape& shape = attempt[weight].shape();
  if (attempt.variant > 0 || shape[0] != shape[1]) return std::nullopt;
  attempt[weight] = attempt[weight].transposed(0, 1);
  return attempt.computed();
}

std::optional<Tensor> without_bias(Attempt& attempt) {
  const auto bias = operand_at(stage_of(attempt.at), Operand::Slot::added, attempt.setup());
  if (attempt.variant > 0 || !bias) return std::nullopt;
  const Tensor& given = attempt[bias->tensor];
  attempt[bias->tensor] = Tensor::zeros(given.precision(), given.shape());
  return attempt.computed();
}

}  // namespace headlight
