#include "app/views/equation/buildup.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/session.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

constexpr double seconds_per_term = 0.4;
constexpr double longest_sum = 3.2;
constexpr Index most_terms = 32;
constexpr Index most_cells = 4096;  ///< of a matrix in which one could follow one cell
constexpr double softmax_seconds = 1.6;
constexpr double elementwise_seconds = 0.5;
constexpr double seconds_per_closed_key = 0.15;
constexpr double pieces_seconds = 0.7;

double on_screen(const TensorPicture& picture, Index row, Index column) {
  return picture.transposed ? picture.slice.value(column, row) : picture.slice.value(row, column);
}

}  // namespace

double build_seconds(const Session& session) {
  // What is asked about is not given away on the way.
  if (session.display().view != View::pipeline || session.lesson().asks()) return 0;
  const Setup& setup = session.setup();
  const TensorId tensor = session.selection().tensor;
  const Equation equation = equation_of(tensor, setup);
  if (equation.kind == EquationKind::pieces) return pieces_seconds;
  const Shape result = shape(tensor, setup);
  if (result.rank() > 1 && result.back(0) * result.back(1) > most_cells) return 0;
  if (equation.kind == EquationKind::elementwise) {
    const bool softmax = stage_of(tensor).kind == StageKind::rowwise;
    if (softmax) return setup.key_length() <= most_read ? softmax_seconds : 0;
    if (tensor == TensorId::masked_scores)
      return std::clamp(seconds_per_closed_key * static_cast<double>(setup.key_length()), elementwise_seconds,
                        softmax_seconds);
    return elementwise_seconds;
  }
  if (equation.kind != EquationKind::product) return 0;
  const Shape left = shape(equation.left.tensor, setup);
  const Index terms = left.back(equation.left.transposed ? 1 : 0);
  return terms <= most_terms ? std::min(longest_sum, seconds_per_term * static_cast<double>(terms)) : 0;
}

PartialSum partial_sum(const TensorPicture& left, const TensorPicture& right, Index row, Index column, double built) {
  const Turn turn = turn_at(built, left.columns_on_screen());
  PartialSum sum{turn.index, on_screen(left, row, turn.index), on_screen(right, turn.index, column)};
  for (Index index = 0; index < turn.index; ++index)
    sum.sum += on_screen(left, row, index) * on_screen(right, index, column);
  sum.sum += turn.share * sum.left * sum.right;
  return sum;
}

PartialShares partial_shares(const Slice& scores, Index row, double built) {
  const Index keys = scores.columns();
  const auto is_visible = [&](Index key) { return scores.kind(row, key) == CellKind::number; };
  double largest = 0;
  bool any = false;
  for (Index key = 0; key < keys; ++key) {
    if (!is_visible(key)) continue;
    largest = any ? std::max(largest, scores.value(row, key)) : scores.value(row, key);
    any = true;
  }
  PartialShares shares;
  shares.dividing = built >= 0.5;
  const Turn turn = turn_at(2 * built, keys);
  const double divided = shares.dividing ? eased_out(2 * built - 1) : 0;
  shares.key = turn.index;
  std::vector<double> exponentials;
  for (Index key = 0; key < keys; ++key)
    exponentials.push_back(is_visible(key) ? std::exp(scores.value(row, key) - largest) : 0);
  for (double one : exponentials) shares.sum += one;
  shares.exponential = exponentials[static_cast<std::size_t>(turn.index)];
  for (Index key = 0; key < keys; ++key) {
    const double one = exponentials[static_cast<std::size_t>(key)];
    const double taken = shares.dividing || key < turn.index ? one : key == turn.index ? turn.share * one : 0;
    shares.numbers.push_back(taken * (1 - divided) + (shares.sum > 0 ? divided * one / shares.sum : 0));
  }
  return shares;
}

}  // namespace headlight
