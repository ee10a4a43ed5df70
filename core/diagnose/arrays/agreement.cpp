#include "core/diagnose/arrays/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/compute/matrices.hpp"
#include "core/compute/vectors.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/model/mask.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// exp of this is less than the last digit of 1 in float64.
constexpr double invisible_to_softmax = -39;

/// A row of a tensor: numbers at equal distances.
template <class T>
struct Row {
  const T* first;
  Index stride;
  double operator[](Index i) const { return static_cast<double>(first[i * stride]); }
};

template <class T>
Row<T> row_of(const Tensor& tensor, Index row) {
  const Shape& shape = tensor.shape();
  Index offset = 0;
  for (int axis = shape.rank() - 2; axis >= 0; --axis) {
    offset += row % shape[axis] * tensor.strides()[axis];
    row /= shape[axis];
  }
  return {tensor.data<T>() + offset, shape.rank() == 0 ? 0 : tensor.strides().back(0)};
}

/// The numbers below which softmax sees nothing in a row of masked scores.
template <class T>
double invisible_below(const Row<T>& expected, Index count) {
  double largest = -infinity;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, expected[i]);
  return largest + invisible_to_softmax;
}

void add(Agreement& sum, const Agreement& part) {
  sum.largest = std::max(sum.largest, part.largest);
  sum.off += part.off;
  sum.has_nan |= part.has_nan;
  sum.by_rounding |= part.by_rounding;
}

/// How far cells are off, in spreads.
struct Deviation {
  double squares = 0;
  Index cells = 0;
  Index beyond = 0;  ///< by more than usual_spreads

  static constexpr double usual_spreads = 2;

  void count(double difference, double spread) {
    if (!(spread > 0)) return;
    squares += difference * difference / spread / spread;
    beyond += difference > usual_spreads * spread ? 1 : 0;
    ++cells;
  }
  void add(const Deviation& other) {
    squares += other.squares;
    cells += other.cells;
    beyond += other.beyond;
  }
  /// Whether chance alone makes such deviations. Those of a row move together, so few cells may all be far off.
  bool is_likely() const {
    constexpr double of_few = 60;
    return squares <= usual_spreads * usual_spreads * static_cast<double>(cells) + of_few;
  }
};

struct Limits {
  Tolerance tolerance;
  double rounding = 0;
  bool hides_as_infinity = false;
};

/// Half a digit is not a binary number: a number printed with 8 decimals may be off by a hair more.
constexpr double hair = 1 + 1e-9;

/// Compares numbers that are side by side, without a branch, so that the compiler makes vector code of it: a wrong
/// tensor is as quick to compare as a right one. False, and `sum` as it was, if a difference is not finite.
template <class A, class B>
HEADLIGHT_INLINED bool compared_without_branch(const A* theirs, const B* expected, Index count, const Limits& limits,
                                               Agreement& sum) {
  const double absolute = limits.tolerance.absolute, relative = limits.tolerance.relative;
  double largest = 0;
  std::int32_t beyond = 0, off = 0, special = 0;
#pragma omp simd reduction(max : largest) reduction(+ : beyond, off, special)
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(count); ++i) {
    const double x = theirs[i], y = expected[i];
    const double difference = x == y ? 0 : std::abs(x - y);  // also of two infinities
    const double allowed = absolute + relative * std::abs(y);
    largest = largest < difference ? difference : largest;
    beyond += !(difference <= allowed);
    off += !(difference <= (allowed + limits.rounding) * hair);
    special += !(difference < infinity);
  }
  if (special > 0) return false;
  sum.largest = std::max(sum.largest, largest);
  sum.off += off;
  sum.by_rounding |= beyond > off;
  return true;
}

HEADLIGHT_VECTORIZED bool compare_quickly(const float* theirs, const float* expected, Index count, const Limits& limits,
                                          Agreement& sum) {
  return compared_without_branch(theirs, expected, count, limits, sum);
}
HEADLIGHT_VECTORIZED bool compare_quickly(const double* theirs, const double* expected, Index count,
                                          const Limits& limits, Agreement& sum) {
  return compared_without_branch(theirs, expected, count, limits, sum);
}
template <class A, class B>
bool compare_quickly(const A* theirs, const B* expected, Index count, const Limits& limits, Agreement& sum) {
  return compared_without_branch(theirs, expected, count, limits, sum);
}

/// How much further each number of a row may be off; null where nothing tells.
struct Allowances {
  const Row<double>* half_digits = nullptr;  ///< of their printed digits
  const Row<double>* spreads = nullptr;      ///< of their rounding
};

template <class A, class B>
void compare_row(const Row<A>& theirs, const Row<B>& expected, const Allowances& more, Index count,
                 const Limits& limits, Agreement& sum, Deviation& deviation) {
  const double unseen = limits.hides_as_infinity ? invisible_below(expected, count) : 0;
  for (Index i = 0; i < count; ++i) {
    const double x = theirs[i], y = expected[i];
    const double difference = std::abs(x - y);
    const double allowed = limits.tolerance.absolute + limits.tolerance.relative * std::abs(y) +
                           (more.half_digits ? (*more.half_digits)[i] : 0);
    const double spread = more.spreads ? (*more.spreads)[i] : 0;
    if (std::isfinite(difference)) deviation.count(std::max(difference - allowed, 0.0), spread);
    if (difference <= allowed && difference < infinity) {
      sum.by_rounding |= more.half_digits != nullptr && difference > allowed - (*more.half_digits)[i];
      sum.largest = std::max(sum.largest, difference);
      continue;
    }
    sum.has_nan |= std::isnan(x);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (limits.hides_as_infinity && y == -infinity && x < unseen) continue;
    sum.largest = std::max(sum.largest, std::isnan(difference) ? infinity : difference);
    const double most = allowed + limits.rounding + most_spreads * spread;
    const bool agrees = std::isfinite(y) && difference <= most * hair;
    sum.by_rounding |= agrees;
    sum.off += agrees ? 0 : 1;
  }
}

}  // namespace

Agreement compare(TensorId id, const Theirs& theirs, const Tensor& expected, const Tolerance& tolerance,
                  const Rounding& rounding, Workspace& workspace) {
  const Shape& shape = theirs.values.shape();
  if (theirs.averaged && expected.shape()[1] != 1) {
    Theirs mean = theirs;
    mean.averaged = false;
    Rounding of_mean = rounding;
    if (!rounding.spread.empty()) of_mean.spread = mean_over_heads(rounding.spread);
    return compare(id, mean, mean_over_heads(expected), tolerance, of_mean, workspace);
  }
  if (info(id).has_kv_heads() && shape[1] != expected.shape()[1]) {
    Rounding repeated = rounding;
    if (!rounding.spread.empty()) repeated.spread = repeated_heads(rounding.spread, shape[1]);
    return compare(id, theirs, repeated_heads(expected, shape[1]), tolerance, repeated, workspace);
  }
  const bool has_spread = !rounding.spread.empty();
  const Limits limits{tolerance, !has_spread && std::isfinite(rounding.bound) ? rounding.bound : 0,
                      info(id).hides_as_infinity()};
  const Index columns = shape.rank() == 0 ? 1 : shape.back(0);
  const Index rows = columns == 0 ? 0 : theirs.values.elements() / columns;
  const Index grain = std::max<Index>(1, elements_per_task / std::max<Index>(columns, 1));
  std::vector<Agreement> parts(static_cast<std::size_t>((rows + grain - 1) / grain));
  std::vector<Deviation> deviations(parts.size());
  with_element_type(theirs.values.precision(), [&](auto their_zero) {
    with_element_type(expected.precision(), [&](auto our_zero) {
      workspace.ranges(rows, grain, [&](Index begin, Index end) {
        Agreement& part = parts[static_cast<std::size_t>(begin / grain)];
        for (Index row = begin; row < end; ++row) {
          const auto theirs_row = row_of<decltype(their_zero)>(theirs.values, row);
          const auto our_row = row_of<decltype(our_zero)>(expected, row);
          const bool exact = theirs.half_digits.empty();
          if (exact && !has_spread && theirs_row.stride == 1 && our_row.stride == 1 &&
              compare_quickly(theirs_row.first, our_row.first, columns, limits, part))
            continue;
          const auto digits = exact ? Row<double>{nullptr, 0} : row_of<double>(theirs.half_digits, row);
          const auto spreads = has_spread ? row_of<double>(rounding.spread, row) : Row<double>{nullptr, 0};
          const Allowances more{exact ? nullptr : &digits, has_spread ? &spreads : nullptr};
          compare_row(theirs_row, our_row, more, columns, limits, part,
                      deviations[static_cast<std::size_t>(begin / grain)]);
        }
      });
    });
  });
  Agreement sum;
  Deviation deviation;
  for (const Agreement& part : parts) add(sum, part);
  for (const Deviation& part : deviations) deviation.add(part);
  if (sum.agrees() && !deviation.is_likely()) sum.off = std::max<Index>(deviation.beyond, 1);
  return sum;
}

Tensor mean_over_heads(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  const Tensor all = converted(tensor, Precision::float64);
  Tensor mean = Tensor::zeros(Precision::float64, {shape[0], 1, shape[2], shape[3]});
  const Index matrix = shape[2] * shape[3];
  for (Index item = 0; item < shape[0]; ++item) {
    auto sum = numbers(mean.writable<double>() + item * matrix, matrix);
    for (Index head = 0; head < shape[1]; ++head)
      sum += numbers(all.data<double>() + (item * shape[1] + head) * matrix, matrix) / static_cast<double>(shape[1]);
  }
  return mean;
}

namespace {

/// Whether softmax reads the tensor, but for a factor and what is added to it. Beside a sink it sees constants too.
bool is_read_by_softmax(TensorId id, const Setup& setup) {
  if (setup.attention.sink != Sink::none) return false;
  const bool capped = setup.attention.soft_cap > 0;
  return id == TensorId::masked_scores ||
         (!capped && (id == TensorId::scores || id == TensorId::dot_products || id == TensorId::position_bias));
}

/// Whether the mask hides the key from the query in all batch items that a row belongs to.
bool is_hidden(const Mask& mask, const Setup& setup, const TensorInfo& tensor, Index row, Index query, Index key) {
  if (tensor.has_batch()) return !mask.visible(row / setup.sizes.query_length / setup.sizes.heads, query, key);
  for (Index item = 0; item < setup.sizes.batch; ++item)
    if (mask.visible(item, query, key)) return false;
  return true;
}

/// With `ignores_hidden`, numbers before the mask that it hides are not compared.
Agreement compare_levelled(bool ignores_hidden, TensorId id, const Theirs& theirs, const Tensor& expected,
                           const Setup& setup, const Tolerance& tolerance, const Rounding& rounding,
                           Workspace& workspace) {
  Agreement never{.off = theirs.values.elements()};
  if (!is_read_by_softmax(id, setup) || theirs.values.shape() != expected.shape()) return never;
  Theirs level = theirs;
  const Tensor ours = converted(expected, Precision::float64), from = converted(theirs.values, Precision::float64);
  level.values = Tensor::uninitialized(Precision::float64, from.shape());
  const Index keys = from.shape().back(0);
  const Mask mask(setup);
  const bool before_mask = ignores_hidden && id != TensorId::masked_scores && !mask.hides_nothing();
  Index compared = 0;
  for (Index row = 0; row < from.elements() / keys; ++row) {
    const double* const a = from.data<double>() + row * keys;
    const double* const b = ours.data<double>() + row * keys;
    double sum = 0;
    Index count = 0;
    for (Index key = 0; key < keys; ++key) {
      if (!std::isfinite(a[key]) || !std::isfinite(b[key])) continue;
      if (before_mask && is_hidden(mask, setup, info(id), row, row % from.shape().back(1), key)) continue;
      sum += a[key] - b[key];
      ++count;
    }
    const double constant = count == 0 ? 0 : sum / static_cast<double>(count);
    compared += std::max<Index>(count - 1, 0);
    for (Index key = 0; key < keys; ++key) {
      const bool unread = before_mask && is_hidden(mask, setup, info(id), row, row % from.shape().back(1), key);
      level.values.writable<double>()[row * keys + key] = unread ? b[key] : a[key] - constant;
    }
  }
  // A row of one number is always a constant away, which says nothing.
  if (compared < from.elements() / keys) return never;
  return compare(id, level, expected, tolerance, {2 * rounding.bound, rounding.spread}, workspace);
}

}  // namespace

Agreement compare_up_to_rows(TensorId id, const Theirs& theirs, const Tensor& expected, const Setup& setup,
                             const Tolerance& tolerance, const Rounding& rounding, Workspace& workspace) {
  const Agreement all = compare_levelled(false, id, theirs, expected, setup, tolerance, rounding, workspace);
  return all.agrees() ? all : compare_levelled(true, id, theirs, expected, setup, tolerance, rounding, workspace);
}

namespace {

/// The longest row (or column) of all matrices of a tensor, by its 2-norm.
double longest(const Tensor& tensor, bool columns) {
  const Shape& shape = tensor.shape();
  const Index a_count = shape.rank() >= 3 ? shape[0] : 1, b_count = shape.rank() == 4 ? shape[1] : 1;
  double result = 0;
  with_element_type(tensor.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index a = 0; a < a_count; ++a) {
      for (Index b = 0; b < b_count; ++b) {
        const auto all = matrix<T>(tensor, a, b);
        const T norm = columns ? all.colwise().norm().maxCoeff() : all.rowwise().norm().maxCoeff();
        result = std::max(result, static_cast<double>(norm));
      }
    }
  });
  return result;
}

/// The least spread of what a norm reads, row by row or for all heads of a position together. Rows of zeros have no
/// rounding that it could enlarge.
double least_spread(const Trace& trace, const Stage& stage) {
  const Setup& setup = trace.setup;
  const Tensor& tensor = left_of(stage, trace);
  const bool of_heads = info(stage.result).has_heads();
  const bool centred = !of_heads && setup.norm.kind == NormKind::layer;
  const bool joint = of_heads && setup.norms_all_heads();
  const Index heads = tensor.shape().rank() == 4 ? tensor.shape()[1] : 1;
  double least = infinity;
  with_element_type(tensor.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index item = 0; item < tensor.shape()[0]; ++item) {
      for (Index position = 0; position < tensor.shape().back(1); ++position) {
        double of_all = 0;
        for (Index head = 0; head < heads; ++head) {
          const auto row = matrix<T>(tensor, item, head).row(position).array();
          const double squares = static_cast<double>((row - (centred ? row.mean() : T{0})).square().mean());
          of_all += squares / static_cast<double>(heads);
          if (!joint && squares > 0) least = std::min(least, squares);
        }
        if (joint && of_all > 0) least = std::min(least, of_all);
      }
    }
  });
  return std::sqrt(least + setup.norm.epsilon);
}

double largest(const Tensor& tensor) {
  const Tensor flat = tensor.contiguous();
  return with_element_type(flat.precision(), [&](auto zero) {
    using T = decltype(zero);
    return flat.elements() == 0 ? 0.0 : static_cast<double>(numbers(flat.data<T>(), flat.elements()).abs().maxCoeff());
  });
}

/// How far an error of the left operand moves the product. The shares of a row cannot all be off by as much: what some
/// gain the others lose, in all no more than four times what one may be off.
double error_through(const Trace& trace, const Operand& left, const Operand& right, double left_error, double length) {
  if (!info(left.tensor).probability) return left_error * length;
  return left_error * std::min(length, 4 * largest(trace[right.tensor]));
}

double longest_factor(const Trace& trace, const Operand& operand) {
  // Rows that sum to 1 are no longer than 1; dropout lengthens them.
  if (info(operand.tensor).probability) return 1 / (1 - trace.setup.attention.dropout);
  return longest(trace[operand.tensor], operand.slot == Operand::Slot::right && !operand.transposed);
}

/// How far an error of a row can move what is normalised: by as much as the gain over the least spread.
double error_of_norm(const Trace& trace, const Stage& stage, double before, double epsilon) {
  const double own = epsilon * largest(left_of(stage, trace));
  return 2 * (before + 2 * own) * largest(right_of(stage, trace)) / least_spread(trace, stage) +
         4 * epsilon * largest(trace[stage.result]);
}

double error(const Errors& errors, const Operand& operand) { return errors[index_of(operand.tensor)]; }

double error_of_product(const Trace& trace, const Stage& stage, const Errors& errors, double epsilon) {
  const Operand left = *operand_at(stage, Operand::Slot::left, trace.setup);
  const Operand right = *operand_at(stage, Operand::Slot::right, trace.setup);
  const double a = longest_factor(trace, left), b = longest_factor(trace, right);
  const double terms = static_cast<double>(trace[left.tensor].shape().back(0));
  const double own = (2 + std::sqrt(terms) / 2) * epsilon * a * b;
  return error_through(trace, left, right, error(errors, left), b) + a * error(errors, right) + own;
}

}  // namespace

double rounding_of(const Trace& trace, TensorId result, const Errors& errors, double epsilon) {
  const Stage& stage = stage_of(result);
  if (operands_of(stage, trace.setup).empty()) return 0;  // drawn, or given by the setup
  // Losses and gradients are compared without an allowance: they are as large as the numbers that they are computed
  // from.
  if (stage.kind == StageKind::reduced || stage.kind == StageKind::gradient) return 0;
  if (stage.kind == StageKind::product) return error_of_product(trace, stage, errors, epsilon);
  double before = error(errors, *operand_at(stage, Operand::Slot::left, trace.setup));
  if (stage.kind == StageKind::norm) return error_of_norm(trace, stage, before, epsilon);
  if (stage.kind == StageKind::rowwise) return std::min(1.0, before / 2 + 4 * epsilon);
  if (stage.kind == StageKind::rotation) return std::sqrt(2.0) * before + 2 * epsilon * largest(trace[result]);
  if (stage.kind == StageKind::looked_up) return 2 * before + epsilon * largest(trace[result]);
  if (result == TensorId::mlp_act) return 1.2 * before + 4 * epsilon * largest(trace[result]);  // no bend is steeper
  if (result == TensorId::mlp_post) {
    const Operand right = *operand_at(stage, Operand::Slot::right, trace.setup);
    const Operand left = *operand_at(stage, Operand::Slot::left, trace.setup);
    return before * largest(trace[right.tensor]) + error(errors, right) * largest(trace[left.tensor]) +
           epsilon * largest(trace[result]);
  }
  if (result == TensorId::scores) before *= std::abs(trace.setup.score_factor());
  if (const auto added = operand_at(stage, Operand::Slot::added, trace.setup)) return before + error(errors, *added);
  if (result == TensorId::dropped_weights) return before / (1 - trace.setup.attention.dropout);
  return before;
}

}  // namespace headlight
