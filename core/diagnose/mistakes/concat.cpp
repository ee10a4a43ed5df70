// Mistakes in putting the heads side by side again.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/LU>
#include <Eigen/QR>

#include "core/compute/matrices.hpp"
#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/diagnose/mistakes/output_inverse.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// All at once; or from (batch · head, query, d_head), read as if the heads came before the batch items; or from (head,
/// batch, query, d_head) all at once.
std::optional<Tensor> concat_without_transpose(Attempt& attempt) {
  const Shape shape = attempt[context].shape();  // (batch, head, query, d_head)
  const Shape joined{shape[0], shape[2], shape[1] * shape[3]};
  if (attempt.variant == 0) return reshaped(attempt[context], joined);
  if (attempt.variant > 2 || shape[0] == 1 || shape[1] == 1) return std::nullopt;
  attempt.said = "; batch items and heads are taken for each other";
  if (attempt.variant == 2) return reshaped(attempt[context].transposed(0, 1), joined);
  const Tensor heads_first = reshaped(attempt[context], {shape[1], shape[0], shape[2], shape[3]});
  return reshaped(heads_first.transposed(0, 1).transposed(1, 2), joined);
}

/// The concat that gives their output: (output − b_o) @ W_o⁻¹, (batch · query, heads · d_head). Not finite where W_o
/// has no inverse.
RowMajor<double> concat_behind(const Tensor& output, Attempt& attempt) {
  const Tensor weight = converted(attempt[W_o], Precision::float64), flat = converted(output, Precision::float64);
  const Index columns = flat.shape()[2], rows = flat.elements() / columns;
  RowMajor<double> result = Eigen::Map<const RowMajor<double>>(flat.data<double>(), rows, columns);
  if (exists(b_o, attempt.setup())) {
    const Tensor bias = converted(attempt[b_o], Precision::float64);
    result.rowwise() -= Eigen::Map<const Eigen::RowVectorXd>(bias.data<double>(), columns);
  }
  const RowMajor<double> mixing = matrix<double>(weight).transpose();
  RowMajor<double> solved;
  if (mixing.rows() == mixing.cols()) solved = mixing.partialPivLu().solve(result.transpose());
  if (solved.size() == 0 || !solved.allFinite() || !(mixing * solved).isApprox(result.transpose(), 1e-3))
    solved = mixing.completeOrthogonalDecomposition().solve(result.transpose());
  return solved.transpose();
}

}  // namespace

Tensor their_concat(Attempt& attempt) {
  const Tensor& handed = attempt.theirs.values;
  if (attempt.given == output) {
    const RowMajor<double> found = concat_behind(handed, attempt);
    Tensor result = attempt.workspace.tensor(Precision::float64, {found.rows(), found.cols()});
    Eigen::Map<RowMajor<double>>(result.writable<double>(), found.rows(), found.cols()) = found;
    return result;
  }
  const Tensor theirs = attempt.given == context ? side_by_side(handed).join_heads() : handed;
  const Index columns = theirs.shape()[2];
  return reshaped(converted(theirs, Precision::float64), {theirs.elements() / columns, columns});
}

namespace {

/// How much the numbers in one place of their concat differ from one of our heads: 0 if they are the same, 1 if they
/// are all zero.
struct Likeness {
  double distance = 0;
  Index slot = 0;
  Index head = 0;
};

/// For each place of their concat the head of ours that is most like it; none if that is the same order.
std::optional<std::vector<Index>> order_of_heads(Attempt& attempt) {
  const auto finite = [](double number) { return std::isfinite(number) ? number : 0; };
  const Tensor handed = their_concat(attempt);
  const RowMajor<double> theirs =
      Eigen::Map<const RowMajor<double>>(handed.data<double>(), handed.shape()[0], handed.shape()[1]).unaryExpr(finite);
  run_stage(attempt.trace, concat, attempt.workspace);
  const Tensor joined = converted(attempt[concat], Precision::float64);
  const RowMajor<double> ours =
      Eigen::Map<const RowMajor<double>>(joined.data<double>(), theirs.rows(), theirs.cols()).unaryExpr(finite);
  const Index heads = attempt.setup().sizes.heads, width = attempt.setup().d_head();
  std::vector<Likeness> all;
  for (Index slot = 0; slot < heads; ++slot) {
    for (Index head = 0; head < heads; ++head) {
      const auto block = ours.middleCols(head * width, width);
      const double distance = (theirs.middleCols(slot * width, width) - block).norm() / block.norm();
      all.push_back({std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance, slot, head});
    }
  }
  std::ranges::stable_sort(all, {}, &Likeness::distance);
  std::vector<Index> order(static_cast<std::size_t>(heads), -1);
  for (const Likeness& one : all) {
    Index& chosen = order[static_cast<std::size_t>(one.slot)];
    if (chosen < 0 && std::ranges::find(order, one.head) == order.end()) chosen = one.head;
  }
  return std::ranges::is_sorted(order) ? std::nullopt : std::optional(order);
}

/// The n-th of all orders after that of our heads; none if there are fewer.
std::optional<std::vector<Index>> nth_order(Index heads, int n) {
  std::vector<Index> order(static_cast<std::size_t>(heads));
  std::iota(order.begin(), order.end(), Index{0});
  for (; n > 0; --n)
    if (!std::ranges::next_permutation(order).found) return std::nullopt;
  return order;
}

/// The features of all heads in turn (feature 0 of each head, then feature 1, ...); or few heads in any order, and many
/// in the one that their numbers tell.
std::optional<Tensor> heads_in_another_order(Attempt& attempt) {
  constexpr Index few = 4;
  const Shape shape = attempt[context].shape();
  if (attempt.variant == 0)
    return reshaped(attempt[context].transposed(1, 2).transposed(2, 3), {shape[0], shape[2], shape[1] * shape[3]});
  if ((attempt.given != concat && attempt.given != output) || (shape[1] > few && attempt.variant > 1))
    return std::nullopt;
  const auto order = shape[1] > few ? order_of_heads(attempt) : nth_order(shape[1], attempt.variant);
  if (!order) return std::nullopt;
  attempt[context] = chosen_heads(attempt[context], *order);
  return attempt.computed();
}

}  // namespace

std::vector<Mistake> concat_mistakes() {
  return {
      {.name = "concat_without_transpose",
       .words = "the heads are joined by one reshape, without a transpose: positions and heads are mixed up",
       .at = {concat},
       .replay = concat_without_transpose},
      {.name = "heads_in_another_order",
       .words = "the heads are side by side in another order",
       .at = {concat},
       .replay = heads_in_another_order},
  };
}

}  // namespace headlight
