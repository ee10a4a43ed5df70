// Mistakes in norms, in Q = X @ W_q + b_q, likewise K and V, and in output = concat @ W_o + b_o.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// input @ weightᵀ + bias; none where the weight is not square.
std::optional<Tensor> weight_transposed(Attempt& attempt) {
  const TensorId weight = operand_at(stage_of(attempt.at), Operand::Slot::right, attempt.setup())->tensor;
  const Shape& shape = attempt[weight].shape();
  if (attempt.variant > 0 || shape[0] != shape[1]) return std::nullopt;
  attempt[weight] = attempt[weight].transposed(0, 1);
  return attempt.computed();
}

/// input @ weight; none where there is no bias.
std::optional<Tensor> bias_missing(Attempt& attempt) {
  const auto bias = operand_at(stage_of(attempt.at), Operand::Slot::added, attempt.setup());
  if (attempt.variant > 0 || !bias) return std::nullopt;
  const Tensor& given = attempt[bias->tensor];
  attempt[bias->tensor] = Tensor::zeros(given.precision(), given.shape());
  return attempt.computed();
}

/// The numbers that libraries add under the root of a norm.
constexpr std::array usual_epsilons{1e-5, 1e-6, 1e-12, 1e-8, 1e-3};

std::optional<Tensor> norm_epsilon(Attempt& attempt) {
  const auto variant = static_cast<std::size_t>(attempt.variant);
  if (variant >= usual_epsilons.size() || !attempt.setup().has_norm()) return std::nullopt;
  double& epsilon = attempt.trace.setup.norm.epsilon;
  attempt.said = fmt::format(" ({:g} instead of {:g})", usual_epsilons[variant], epsilon);
  epsilon = usual_epsilons[variant];
  return attempt.computed();
}

/// The input itself, in as many columns.
std::optional<Tensor> projection_missing(Attempt& attempt) {
  const Setup& setup = attempt.setup();
  Tensor input = attempt[left_operand(stage_of(attempt.at), setup)];
  if (attempt.at == Q && setup.past() > 0) input = input.narrowed(1, setup.past(), setup.sizes.query_length);
  if (attempt.variant > 0 || input.shape() != shape(attempt.at, setup)) return std::nullopt;
  return input.contiguous();
}

/// One module makes queries, keys and values.
std::optional<Tensor> projection_shared(Attempt& attempt) {
  if (attempt.variant > 0 || attempt[W_q].shape() != attempt[W_k].shape() || attempt.setup().is_cross())
    return std::nullopt;
  const Stage& stage = stage_of(attempt.at);
  attempt[operand_at(stage, Operand::Slot::right, attempt.setup())->tensor] = attempt[W_q];
  if (const Operand* const bias = operand_at(stage, Operand::Slot::added, attempt.setup()); bias != nullptr)
    attempt[bias->tensor] = exists(b_q, attempt.setup())
                                ? attempt[b_q]
                                : Tensor::zeros(attempt[W_q].precision(), {attempt[W_q].shape()[1]});
  return attempt.computed();
}

/// The norm of queries and keys is left out.
std::optional<Tensor> qk_norm_missing(Attempt& attempt) {
  if (attempt.variant > 0) return std::nullopt;
  return attempt[left_operand(stage_of(attempt.at), attempt.setup())].contiguous();
}

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

/// concat itself, or with the bias.
std::optional<Tensor> output_projection_missing(Attempt& attempt) {
  if (attempt[concat].shape() != attempt[output].shape()) return std::nullopt;
  if (attempt.variant == 0) return attempt[concat].contiguous();
  if (attempt.variant > 1 || !exists(b_o, attempt.setup())) return std::nullopt;
  const Tensor from = attempt[concat].contiguous();
  Tensor result = attempt.workspace.tensor(from.precision(), from.shape());
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Index columns = from.shape()[2], rows = from.elements() / columns;
    const Eigen::Map<const RowMajor<T>> numbers(from.data<T>(), rows, columns);
    const Tensor bias = attempt[b_o].contiguous();
    Eigen::Map<RowMajor<T>>(result.writable<T>(), rows, columns) =
        numbers.rowwise() + Eigen::Map<const Eigen::RowVectorX<T>>(bias.data<T>(), columns);
  });
  return result;
}

/// Each row less its mean, over its deviation: a LayerNorm as it begins.
template <class T>
void normalise_rows(T* numbers, Index rows, Index columns) {
  Eigen::Map<RowMajor<T>> all(numbers, rows, columns);
  for (Index row = 0; row < rows; ++row) {
    all.row(row).array() -= all.row(row).mean();
    all.row(row) /= std::sqrt(all.row(row).squaredNorm() / static_cast<T>(columns) + static_cast<T>(1e-5));
  }
}

/// The output and its input, which is added later, outside attention; with or without the norm of the sum.
std::optional<Tensor> residual_added(Attempt& attempt) {
  std::vector<TensorId> inputs;
  for (const TensorId id : {X, X_plus_P, N})
    if (exists(id, attempt.setup())) inputs.push_back(id);
  const auto variant = static_cast<std::size_t>(attempt.variant);
  const bool is_normed = variant >= inputs.size();
  if (variant >= 2 * inputs.size()) return std::nullopt;
  if (is_normed) attempt.said = ", with a LayerNorm after it";
  const Tensor& all = attempt[inputs[variant % inputs.size()]];
  const Tensor input = all.narrowed(1, attempt.setup().past(), attempt.setup().sizes.query_length).contiguous();
  const Tensor right = attempt.computed().contiguous();
  if (input.shape() != right.shape()) return std::nullopt;
  Tensor result = attempt.workspace.tensor(right.precision(), right.shape());
  with_element_type(right.precision(), [&](auto zero) {
    using T = decltype(zero);
    numbers(result.writable<T>(), right.elements()) =
        numbers(right.data<T>(), right.elements()) + numbers(input.data<T>(), right.elements());
    const Index columns = right.shape().back(0);
    if (is_normed) normalise_rows(result.writable<T>(), right.elements() / columns, columns);
  });
  return result;
}

}  // namespace

std::vector<Mistake> projection_mistakes() {
  return {
      {.name = "norm_epsilon",
       .words = "the norm adds another epsilon",
       .at = {N, N_post, N_mlp, N_mlp_post, N_final},
       .replay = norm_epsilon,
       .parts = {}},
      {.name = "weight_transposed",
       .words = "the weight is applied transposed",
       .at = {Q, K, V},
       .replay = weight_transposed,
       .also = {output}},
      {.name = "bias_missing",
       .words = "the bias is not added",
       .at = {Q, K, V},
       .replay = bias_missing,
       .also = {output}},
      {.name = "values_from_keys",
       .words = "the values are made with the weight of the keys",
       .at = {V},
       .replay = values_from_keys},
      {.name = "projection_missing",
       .words = "the input is not projected: it is taken as it is",
       .at = {Q, K, V},
       .replay = projection_missing},
      {.name = "projection_shared",
       .words = "one projection makes queries, keys and values: that of the queries",
       .at = {K, V},
       .replay = projection_shared,
       .everywhere = true},
      {.name = "qk_norm_missing",
       .words = "the norm of queries and keys is left out",
       .at = {Q_normed, K_normed},
       .replay = qk_norm_missing},
      {.name = "position_missing",
       .words = "the positions are left out: nothing depends on where a token is",
       .at = {N, Q, K, V, Q_rotated, K_rotated, scores},
       .replay = position_missing},
  };
}

std::vector<Mistake> output_mistakes() {
  return {
      {.name = "output_projection_missing",
       .words = "the output projection is missing",
       .at = {output},
       .replay = output_projection_missing},
      {.name = "output_weight_transposed",
       .words = "the output weight is applied transposed",
       .at = {output},
       .replay = weight_transposed},
      {.name = "output_bias_missing", .words = "the output bias is not added", .at = {output}, .replay = bias_missing},
      {.name = "residual_added",
       .words = "the input is added to the output: that is the residual connection around attention, not attention",
       .at = {output},
       .replay = residual_added},
  };
}

}  // namespace headlight
