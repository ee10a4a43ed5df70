// Mistakes in softmax.
#include <algorithm>
#include <cmath>

#include "core/diagnose/arrays.hpp"
#include "core/diagnose/mistakes/mistake.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// Softmax along an axis other than the keys'.
std::optional<Tensor> softmax_along(Attempt& attempt, int axis) {
  if (attempt.variant > 0) return std::nullopt;
  const Tensor shares = attempt.softmax(attempt[masked_scores].transposed(axis, 3).contiguous());
  return shares.transposed(axis, 3).contiguous();
}

std::optional<Tensor> softmax_over_queries(Attempt& attempt) { return softmax_along(attempt, 2); }
std::optional<Tensor> softmax_over_heads(Attempt& attempt) { return softmax_along(attempt, 1); }

/// Over the whole array, over each batch item, or over each head.
std::optional<Tensor> softmax_over_all(Attempt& attempt) {
  const Tensor& scores = attempt[masked_scores];
  const Shape& shape = scores.shape();
  std::vector<Index> ways{1, shape[0], shape[0] * shape[1]};
  ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
  if (static_cast<std::size_t>(attempt.variant) >= ways.size()) return std::nullopt;
  const Index parts = ways[static_cast<std::size_t>(attempt.variant)];
  return reshaped(attempt.softmax(reshaped(scores, {parts, scores.elements() / parts})), shape);
}

/// Softmax of what is a softmax already, which makes the weights of a row nearly equal.
std::optional<Tensor> softmax_twice(Attempt& attempt) {
  if (attempt.variant > 0) return std::nullopt;
  return attempt.softmax(attempt.softmax(attempt[masked_scores].contiguous()));
}

/// exp of the scores as they are, in numbers of type T: what is too large becomes inf, and inf / inf is NaN.
template <class T>
void overflowing_row(const T* scores, T* weights, Index keys) {
  T sum = 0;
  for (Index key = 0; key < keys; ++key) sum += weights[key] = std::exp(scores[key]);
  for (Index key = 0; key < keys; ++key) weights[key] /= sum;
}

/// In the setup's precision, and in float32.
std::optional<Tensor> softmax_overflow(Attempt& attempt) {
  const Precision own = attempt.setup().attention.precision;
  if (attempt.variant > (own == Precision::float64 ? 1 : 0)) return std::nullopt;
  const Tensor scores = converted(attempt[masked_scores], attempt.variant == 0 ? own : Precision::float32);
  const Index keys = scores.shape()[3];
  Tensor result = attempt.workspace.tensor(scores.precision(), scores.shape());
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Index rows = scores.elements() / keys;
    attempt.workspace.ranges(rows, std::max<Index>(1, elements_per_task / 4 / keys), [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row)
        overflowing_row(scores.data<T>() + row * keys, result.writable<T>() + row * keys, keys);
    });
  });
  return converted(result, own);
}

}  // namespace

std::vector<Mistake> softmax_mistakes() {
  return {
      {.name = "softmax_over_queries",
       .words = "softmax runs over the queries (axis -2) instead of the keys (axis -1)",
       .at = {weights},
       .replay = softmax_over_queries},
      {.name = "softmax_over_heads",
       .words = "softmax runs over the heads (axis 1) instead of the keys (axis -1)",
       .at = {weights},
       .replay = softmax_over_heads,
       .parts = 2},
      {.name = "softmax_over_all",
       .words = "softmax runs over more than one row: all numbers together sum to 1",
       .at = {weights},
       .replay = softmax_over_all,
       .parts = std::nullopt},
      {.name = "softmax_twice",
       .words = "softmax is applied twice: the weights of a row are nearly equal",
       .at = {weights},
       .replay = softmax_twice},
      {.name = "softmax_overflow",
       .words = "exp is taken of the scores themselves: it overflows, or a row in which nothing is seen is 0 / 0",
       .at = {weights},
       .replay = softmax_overflow},
  };
}

}  // namespace headlight
