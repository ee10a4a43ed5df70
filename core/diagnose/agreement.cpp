#include "core/diagnose/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/compute/vectors.hpp"
#include "core/diagnose/arrays.hpp"

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

struct Limits {
  Tolerance tolerance;
  double rounding = 0;
  bool hides_as_infinity = false;
};

/// Half a digit is not a binary number: a number printed with 8 decimals may be off by a hair more.
constexpr double hair = 1 + 1e-9;

/// Compares numbers that are side by side, without a branch, so that the compiler makes vector code of it: a wrong
/// tensor is as quick to compare as a right one. False, and `sum` as it was, where a difference is no finite number.
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

template <class A, class B>
void compare_row(const Row<A>& theirs, const Row<B>& expected, const Row<double>* half_digits, Index count,
                 const Limits& limits, Agreement& sum) {
  const double unseen = limits.hides_as_infinity ? invisible_below(expected, count) : 0;
  for (Index i = 0; i < count; ++i) {
    const double x = theirs[i], y = expected[i];
    const double difference = std::abs(x - y);
    const double allowed = limits.tolerance.absolute + limits.tolerance.relative * std::abs(y);
    if (difference <= allowed && difference < infinity) {
      sum.largest = std::max(sum.largest, difference);
      continue;
    }
    sum.has_nan |= std::isnan(x);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (limits.hides_as_infinity && y == -infinity && x < unseen) continue;
    sum.largest = std::max(sum.largest, std::isnan(difference) ? infinity : difference);
    const double more = allowed + limits.rounding + (half_digits ? (*half_digits)[i] : 0);
    const bool agrees = std::isfinite(y) && difference <= more * hair;
    sum.by_rounding |= agrees;
    sum.off += agrees ? 0 : 1;
  }
}

}  // namespace

Agreement compare(TensorId id, const Theirs& theirs, const Tensor& expected, const Tolerance& tolerance,
                  double rounding, Workspace& workspace) {
  const Shape& shape = theirs.values.shape();
  if (info(id).has_kv_heads() && shape[1] != expected.shape()[1])
    return compare(id, theirs, repeated_heads(expected, shape[1]), tolerance, rounding, workspace);
  const Limits limits{tolerance, std::isfinite(rounding) ? rounding : 0, info(id).hides_as_infinity()};
  const Index columns = shape.rank() == 0 ? 1 : shape.back(0);
  const Index rows = columns == 0 ? 0 : theirs.values.elements() / columns;
  const Index grain = std::max<Index>(1, elements_per_task / std::max<Index>(columns, 1));
  std::vector<Agreement> parts(static_cast<std::size_t>((rows + grain - 1) / grain));
  with_element_type(theirs.values.precision(), [&](auto their_zero) {
    with_element_type(expected.precision(), [&](auto our_zero) {
      workspace.ranges(rows, grain, [&](Index begin, Index end) {
        Agreement& part = parts[static_cast<std::size_t>(begin / grain)];
        for (Index row = begin; row < end; ++row) {
          const auto theirs_row = row_of<decltype(their_zero)>(theirs.values, row);
          const auto our_row = row_of<decltype(our_zero)>(expected, row);
          const bool exact = theirs.half_digits.empty();
          if (exact && theirs_row.stride == 1 && our_row.stride == 1 &&
              compare_quickly(theirs_row.first, our_row.first, columns, limits, part))
            continue;
          const auto digits = exact ? Row<double>{nullptr, 0} : row_of<double>(theirs.half_digits, row);
          compare_row(theirs_row, our_row, exact ? nullptr : &digits, columns, limits, part);
        }
      });
    });
  });
  Agreement sum;
  for (const Agreement& part : parts) add(sum, part);
  return sum;
}

}  // namespace headlight
