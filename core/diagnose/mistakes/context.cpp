// Mistakes in dropout, and in mixing the values.
#include "core/diagnose/mistakes/mistake.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// weightsᵀ @ V_heads
std::optional<Tensor> weights_transposed(Attempt& attempt) {
  if (attempt.variant > 0 || attempt.setup().key_length() != attempt.setup().sizes.query_length) return std::nullopt;
  Tensor& mixing = attempt[attempt.trace.has(dropped_weights) ? dropped_weights : weights];
  mixing = mixing.transposed(2, 3);
  return attempt.computed();
}

/// Weights are dropped, but those that stay are not enlarged.
std::optional<Tensor> dropout_not_rescaled(Attempt& attempt) {
  if (attempt.variant > 0 || attempt.trace.kept == nullptr) return std::nullopt;
  const Tensor from = attempt[weights].contiguous();
  Tensor result = attempt.workspace.tensor(from.precision(), from.shape());
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    const auto& kept = *attempt.trace.kept;
    for (Index i = 0; i < from.elements(); ++i)
      result.writable<T>()[i] = kept[static_cast<std::size_t>(i)] != 0 ? from.data<T>()[i] : T{0};
  });
  return result;
}

}  // namespace

std::vector<Mistake> context_mistakes() {
  return {
      {.name = "dropout_not_rescaled",
       .words = "the weights that dropout keeps are not divided by 1 − dropout",
       .at = {dropped_weights},
       .replay = dropout_not_rescaled,
       .fix_numpy = "dropped_weights = weights * keep / (1 - dropout)",
       .fix_torch = "dropped_weights = weights * keep / (1 - dropout)"},
      {.name = "weights_transposed",
       .words = "the weights are applied transposed: each key mixes what the queries carry",
       .at = {context},
       .replay = weights_transposed},
  };
}

}  // namespace headlight
