// Mistakes in softmax.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compute/matrices.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// Softmax of `count` rows of `columns` numbers each, along the rows' axis: column by column, but for many columns at
/// once, in the order in which they are in memory. A column of −inf alone gives zeros, or NaN if `naive`.
template <class T>
void softmax_of_columns(const T* from, T* to, Index count, Index columns, Index row_stride, bool naive) {
  using Values = Eigen::Array<T, 1, Eigen::Dynamic>;
  const auto row = [&](const T* first, Index i) { return Eigen::Map<const Values>(first + i * row_stride, columns); };
  Values largest = row(from, 0);
  for (Index i = 1; i < count; ++i) largest = largest.max(row(from, i));
  // A column that holds only −inf, as its scores show, gets any shares, which are then divided so that they become 0 or
  // NaN.
  const Eigen::Array<bool, 1, Eigen::Dynamic> seen = largest > -std::numeric_limits<T>::infinity();
  for (Index i = 0; i < columns; ++i)
    if (!seen[i]) largest[i] = 0;
  Values sum = Values::Zero(columns);
  for (Index i = 0; i < count; ++i) {
    Eigen::Map<Values> share(to + i * row_stride, columns);
    share = (row(from, i) - largest).exp();
    sum += share;
  }
  for (Index i = 0; i < columns; ++i)
    if (!seen[i]) sum[i] = naive ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
  for (Index i = 0; i < count; ++i) Eigen::Map<Values>(to + i * row_stride, columns) /= sum;
}

/// Softmax along an axis other than the last.
Tensor softmax_along(Attempt& attempt, const Tensor& scores, int axis) {
  const Shape& shape = scores.shape();
  Tensor result = attempt.workspace.tensor(scores.precision(), shape);
  Index outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  constexpr Index columns_at_once = 512;
  const Index pieces = (inner + columns_at_once - 1) / columns_at_once;
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = scores.data<T>();
    T* to = result.writable<T>();
    attempt.workspace.each(outer * pieces, [&](Index task) {
      const Index column = task % pieces * columns_at_once;
      const Index begin = task / pieces * shape[axis] * inner + column;
      softmax_of_columns(from + begin, to + begin, shape[axis], std::min(columns_at_once, inner - column), inner,
                         attempt.theirs.has_nan);
    });
  });
  return result;
}

std::optional<Tensor> softmax_over_queries(Attempt& attempt) {
  if (attempt.variant > 0) return std::nullopt;
  return softmax_along(attempt, attempt[masked_scores].contiguous(), 2);
}

std::optional<Tensor> softmax_over_heads(Attempt& attempt) {
  if (attempt.variant > 0) return std::nullopt;
  return softmax_along(attempt, attempt[masked_scores].contiguous(), 1);
}

/// Over the batch items of each head, or where batch items and heads are one axis, over both.
std::optional<Tensor> softmax_over_batch(Attempt& attempt) {
  if (attempt.variant > 1 || attempt.setup().sizes.batch == 1) return std::nullopt;
  const Tensor scores = attempt[masked_scores].contiguous();
  if (attempt.variant == 0) return softmax_along(attempt, scores, 0);
  attempt.said = "; batch items and heads are one axis";
  const Shape& shape = scores.shape();
  const Shape merged{1, shape[0] * shape[1], shape[2], shape[3]};
  return reshaped(softmax_along(attempt, reshaped(scores, merged), 1), shape);
}

/// The masked scores as they are, those before the mask, those with 0 where a key is hidden, or each over its row's
/// sum.
std::optional<Tensor> softmax_missing(Attempt& attempt) {
  if (attempt.variant > 3) return std::nullopt;
  if (attempt.variant == 1) return left_of(stage_of(masked_scores), attempt.trace).contiguous();
  const Tensor scores = attempt[masked_scores].contiguous();
  if (attempt.variant == 0) return scores;
  Tensor result = attempt.workspace.tensor(scores.precision(), scores.shape());
  const Index keys = scores.shape()[3];
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < scores.elements() / keys; ++row) {
      T sum = 0;
      for (Index i = row * keys; i < (row + 1) * keys; ++i) {
        const T score = scores.data<T>()[i];
        sum += result.writable<T>()[i] = std::isfinite(score) ? score : T{0};
      }
      for (Index i = row * keys; attempt.variant == 3 && i < (row + 1) * keys; ++i) result.writable<T>()[i] /= sum;
    }
  });
  return result;
}

/// Without the term that belongs to no key.
std::optional<Tensor> sink_missing(Attempt& attempt) {
  Sink& sink = attempt.trace.setup.attention.sink;
  if (attempt.variant > 0 || sink == Sink::none) return std::nullopt;
  sink = Sink::none;
  return attempt.softmax(attempt[masked_scores].contiguous());
}

/// Over the whole array, over each batch item, over each head, or over the rows of a query in all heads.
std::optional<Tensor> softmax_over_all(Attempt& attempt) {
  const Tensor& scores = attempt[masked_scores];
  const Shape& shape = scores.shape();
  std::vector<Index> ways{1, shape[0], shape[0] * shape[1]};
  ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
  const auto way = static_cast<std::size_t>(attempt.variant);
  if (way < ways.size()) return attempt.softmax(scores.contiguous(), scores.elements() / ways[way]);
  if (way > ways.size() || shape[1] == 1 || shape[2] == 1) return std::nullopt;
  const Tensor by_query = scores.transposed(1, 2).contiguous();
  return attempt.softmax(by_query, shape[1] * shape[3]).transposed(1, 2).contiguous();
}

/// Softmax of what is a softmax already, which makes the weights of a row nearly equal.
std::optional<Tensor> softmax_twice(Attempt& attempt) {
  if (attempt.variant > 0) return std::nullopt;
  return attempt.softmax(attempt.softmax(attempt[masked_scores].contiguous()));
}

/// exp of the scores as they are, in numbers of type T: what is too large becomes inf, and inf / inf is NaN. A sink's
/// score is −inf where there is none.
template <class T>
void overflowing_row(const T* scores, T* weights, Index keys, T sink) {
  T sum = std::exp(sink);
  for (Index key = 0; key < keys; ++key) sum += weights[key] = std::exp(scores[key]);
  for (Index key = 0; key < keys; ++key) weights[key] /= sum;
}

double sink_of(const Trace& trace, Index head) {
  switch (trace.setup.attention.sink) {
    case Sink::none: break;
    case Sink::zero: return 0;
    case Sink::learned: return trace.number({sinks, {head}});
  }
  return -std::numeric_limits<double>::infinity();
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
        overflowing_row(scores.data<T>() + row * keys, result.writable<T>() + row * keys, keys,
                        static_cast<T>(sink_of(attempt.trace, row / scores.shape()[2] % scores.shape()[1])));
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
      {.name = "softmax_over_batch",
       .words = "softmax runs over the batch items (axis 0) instead of the keys (axis -1)",
       .at = {weights},
       .replay = softmax_over_batch,
       .parts = 2},
      {.name = "softmax_missing",
       .words = "there is no softmax: the scores themselves weigh the values",
       .at = {weights},
       .replay = softmax_missing},
      {.name = "sink_missing",
       .words = "softmax has no sink: each row adds up to 1",
       .at = {weights},
       .replay = sink_missing},
      {.name = "softmax_over_all",
       .words = "softmax runs over more than one row: several rows together sum to 1",
       .at = {weights},
       .replay = softmax_over_all,
       .parts = std::nullopt},
      {.name = "softmax_twice",
       .words = "softmax is applied twice: the weights of a row are nearly equal",
       .at = {weights},
       .replay = softmax_twice},
      {.name = "softmax_overflow",
       .words =
           "exp is taken without subtracting the row's maximum: it overflows, or a row with every key hidden is 0 / 0",
       .at = {weights},
       .replay = softmax_overflow},
  };
}

}  // namespace headlight
