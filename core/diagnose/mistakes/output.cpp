// Mistakes in output = concat @ W_o + b_o.
#include "core/compute/matrices.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

using enum TensorId;

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

std::optional<Tensor> output_weight_transposed(Attempt& attempt) { return with_transposed_weight(attempt); }

std::optional<Tensor> output_bias_missing(Attempt& attempt) { return without_bias(attempt); }

}  // namespace

std::vector<Mistake> output_mistakes() {
  return {
      {.name = "output_projection_missing",
       .words = "the output projection is missing",
       .at = {output},
       .replay = output_projection_missing},
      {.name = "output_weight_transposed",
       .words = "the output weight is applied transposed",
       .at = {output},
       .replay = output_weight_transposed},
      {.name = "output_bias_missing",
       .words = "the output bias is not added",
       .at = {output},
       .replay = output_bias_missing},
  };
}

}  // namespace headlight
