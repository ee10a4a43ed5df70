// Mistakes in Q = X @ W_q + b_q, and likewise K and V.
#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/stages/graph.hpp"

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

/// The input itself is projected, queries and keys are not turned, or the scores have no bias.
std::optional<Tensor> position_missing(Attempt& attempt) {
  const Setup& setup = attempt.setup();
  if (attempt.variant > 0 || setup.position.encoding == Encoding::none) return std::nullopt;
  const Operand left = *operand_at(stage_of(attempt.at), Operand::Slot::left, setup);
  if (stage_of(attempt.at).kind == StageKind::rotation) return attempt[left.tensor].contiguous();
  if (attempt.at == scores) {
    if (!setup.position.biases_scores()) return std::nullopt;
    attempt[position_bias] = Tensor{};
    return attempt.computed();
  }
  if (!setup.position.is_added()) return std::nullopt;
  if (left.tensor != X_plus_P && left.tensor != Y_plus_P) return std::nullopt;  // a norm read the positions before
  attempt[left.tensor] = attempt[left.tensor == X_plus_P ? X : Y];
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
      {.name = "position_missing",
       .words = "the positions are left out: nothing depends on where a token is",
       .at = {N, Q, K, V, Q_rotated, K_rotated, scores},
       .replay = position_missing},
  };
}

}  // namespace headlight
