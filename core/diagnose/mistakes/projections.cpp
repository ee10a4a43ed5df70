// Mistakes in Q = X @ W_q + b_q, and likewise K and V.
#include "core/diagnose/flow.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/diagnose/mistakes/products.hpp"

namespace headlight {
namespace {

using enum TensorId;

std::optional<Tensor> weight_transposed(Attempt& attempt) { return with_transposed_weight(attempt); }

std::optional<Tensor> bias_missing(Attempt& attempt) { return without_bias(attempt); }

/// V = K as it is, or projected with W_k, with the bias of K or of V.
std::optional<Tensor> values_from_keys(Attempt& attempt) {
  if (attempt.variant > 2) return std::nullopt;
  if (attempt.variant < 2) {
    if (attempt.variant == 1) run_stage(attempt.trace, K, attempt.workspace);
    return attempt[K];
  }
  attempt[W_v] = attempt[W_k];
  return attempt.computed();
}

}  // namespace

std::vector<Mistake> projection_mistakes() {
  return {
      {.name = "weight_transposed",
       .words = "the weight is applied transposed",
       .at = {Q, K, V},
       .replay = weight_transposed},
      {.name = "bias_missing", .words = "the bias is not added", .at = {Q, K, V}, .replay = bias_missing},
      {.name = "values_from_keys",
       .words = "the values are made with the weight of the keys",
       .at = {V},
       .replay = values_from_keys},
  };
}

}  // namespace headlight
