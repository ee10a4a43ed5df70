#include "core/compute/softmax.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <type_traits>

#include "core/compute/fused.hpp"
#include "core/compute/relaxed_softmax.hpp"
#include "core/compute/vectors.hpp"

namespace headlight {
namespace {

// Eigen's expressions would be shorter, but they sum in an order that depends on where a row is in memory, and they
// compute exp at the two ends of a row with a different function than in its middle. They also take 1 to 2 times as
// long for rows of up to 10 keys, and 2.3 to 3.3 times from 64 keys on (tests/benchmarks/kernels_benchmark.cpp).

/// The constants of exp for float and for double. With x = n·ln 2 + r and |r| <= ln 2 / 2, exp(x) = 2^n · exp(r).
template <class T>
struct Width;

template <>
struct Width<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 23;
  static constexpr int degree = 7;                 ///< of the Taylor polynomial for exp(r), whose error is below 2^-27
  static constexpr float vanishing = -104;         ///< below this, exp(x) is less than half the smallest float
  static constexpr float ln2_high = 0.693359375F;  ///< few digits, so that n · ln2_high is exact
  static constexpr float ln2_low = -2.12194440e-4F;
};

template <>
struct Width<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 52;
  static constexpr int degree = 13;  ///< error below 2^-57
  static constexpr double vanishing = -745.2;
  static constexpr double ln2_high = 0x1.62e42fefa3800p-1;
  static constexpr double ln2_low = 0x1.ef35793c76730p-45;
};

/// The bits of one number, or of several side by side.
template <class T, class Some>
struct BitsOfSome {
  using Bits = typename Width<T>::Bits;
};
template <class T, class Some>
  requires(sizeof(Some) > sizeof(T))
struct BitsOfSome<T, Some> {
  using Bits [[gnu::vector_size(sizeof(Some))]] = typename Width<T>::Bits;
};
template <class T, class Some>
using BitsOf = typename BitsOfSome<T, Some>::Bits;

/// The Taylor coefficients of exp, highest power first: 1/degree!, ..., 1/1!, 1/0!
template <class T>
constexpr auto taylor = [] {
  std::array<T, static_cast<std::size_t>(Width<T>::degree) + 1> coefficients{};
  double factorial = 1;
  for (std::size_t n = 0; n < coefficients.size(); ++n) {
    if (n > 0) factorial *= static_cast<double>(n);
    coefficients[coefficients.size() - 1 - n] = static_cast<T>(1 / factorial);
  }
  return coefficients;
}();

/// Adding this number rounds to a whole number and leaves it in the lowest bits of the sum.
template <class T>
constexpr T rounder = static_cast<T>(3 * (std::uint64_t{1} << (Width<T>::mantissa - 1)));

/// 2^n, where `shifted` is the whole number n plus `rounder`.
template <class T, class Some>
HEADLIGHT_INLINED Some power_of_two(Some shifted) {
  using Bits = BitsOf<T, Some>;
  const Bits exponent = std::bit_cast<Bits>(shifted) << Width<T>::mantissa;
  return std::bit_cast<Some>(static_cast<Bits>(exponent + std::bit_cast<typename Width<T>::Bits>(T{1})));
}

/// exp(x) for x <= 0, for -inf and for NaN. `Some` is T, or several of them side by side.
template <class T, class Some, class Fused>
HEADLIGHT_INLINED Some exponential(Some x, Fused&& fused) {
  const auto vanishes = x < Width<T>::vanishing;
  const Some within = vanishes ? Some{} : x;
  const Some n = fused(within, Some{} + std::numbers::log2e_v<T>, Some{} + rounder<T>) - rounder<T>;
  const Some r = fused(n, Some{} - Width<T>::ln2_low, within - n * Width<T>::ln2_high);
  Some result = Some{} + taylor<T>[0];
  for (std::size_t i = 1; i < taylor<T>.size(); ++i) result = fused(result, r, Some{} + taylor<T>[i]);
  // Multiplies by 2^n in two steps: 2^n alone may be too small for a normal number even though the result is not.
  const Some half = n * T{0.5} + rounder<T>;
  const Some rest = n - (half - rounder<T>)+rounder<T>;
  result = result * power_of_two<T>(half) * power_of_two<T>(rest);
  return vanishes ? Some{} : result;
}

/// How many numbers a loop step handles side by side. Each lane has its own sum, so the order of additions is the same
/// for every width of vector register.
template <class T>
constexpr Index lanes = 64 / static_cast<Index>(sizeof(T));
template <class T>
using Lanes = std::array<T, static_cast<std::size_t>(lanes<T>)>;

/// exp(score − largest) of as many scores as there are lanes, added to the sums of the lanes.
template <class T>
HEADLIGHT_INLINED void exponentials(const T* scores, T largest, T* results, T* sums) {
  constexpr auto exactly = [](T a, T b, T c) { return fused(a, b, c); };
  if constexpr (!requires { typename QuickFused<T>::All; }) {
    for (Index i = 0; i < lanes<T>; ++i) {
      const T e = exponential<T>(scores[i] - largest, exactly);
      results[i] = e;
      sums[i] += e;
    }
  } else {
    using All = typename QuickFused<T>::All;
    static_assert(sizeof(All) == sizeof(Lanes<T>));
    All powers;
    std::memcpy(&powers, scores, sizeof powers);
    QuickFused<T> quick;
    const All found = exponential<T>(powers - largest, quick);
    for (Index i = 0; i < lanes<T>; ++i) {
      const T e = quick.sure(i) ? found[i] : exponential<T>(scores[i] - largest, exactly);
      results[i] = e;
      sums[i] += e;
    }
  }
}

template <class T>
HEADLIGHT_INLINED void raise_to(T* largest, const T* scores) {
  for (Index i = 0; i < lanes<T>; ++i) largest[i] = scores[i] > largest[i] ? scores[i] : largest[i];
}

/// Joins the numbers of all lanes into one, halving their count at each step. As recursion on fixed sizes the compiler
/// keeps them in registers.
template <std::size_t half, class Numbers, class Join>
HEADLIGHT_INLINED auto joined(const Numbers& numbers, Join&& join) {
  std::array<typename Numbers::value_type, half> halves;
  for (std::size_t i = 0; i < half; ++i) halves[i] = join(numbers[i], numbers[i + half]);
  if constexpr (half == 1) return halves[0];
  else return joined<half / 2>(halves, join);
}

template <class T>
HEADLIGHT_INLINED void softmax_row(const T* scores, T* weights, Index keys) {
  constexpr T nothing = -std::numeric_limits<T>::infinity();
  const Index whole = keys / lanes<T> * lanes<T>;
  Lanes<T> tail;
  tail.fill(nothing);
  for (Index i = whole; i < keys; ++i) tail[static_cast<std::size_t>(i - whole)] = scores[i];

  Lanes<T> maxima = tail;
  for (Index i = 0; i < whole; i += lanes<T>) raise_to(maxima.data(), scores + i);
  const T largest = joined<lanes<T> / 2>(maxima, [](T a, T b) { return a > b ? a : b; });
  if (largest == nothing) {  // every key is hidden or NaN
    for (Index i = 0; i < keys; ++i) weights[i] = scores[i] == nothing ? T{0} : scores[i];
    return;
  }

  Lanes<T> sums{};
  for (Index i = 0; i < whole; i += lanes<T>) exponentials(scores + i, largest, weights + i, sums.data());
  const bool has_tail = whole < keys;  // without one it would only add zeros
  if (has_tail) exponentials(tail.data(), largest, tail.data(), sums.data());
  const T sum = joined<lanes<T> / 2>(sums, [](T a, T b) { return a + b; });
  for (Index i = 0; i < whole; ++i) weights[i] /= sum;
  if (!has_tail) return;
  for (T& weight : tail) weight /= sum;
  for (Index i = whole; i < keys; ++i) weights[i] = tail[static_cast<std::size_t>(i - whole)];
}

/// Rows that fit into the lanes, 16 at a time: each step is done for all of them before the next one, since a row alone
/// would wait for the results of every step. The numbers are those of softmax_row.
template <class T>
HEADLIGHT_INLINED void softmax_short_rows(const T* scores, T* weights, Index rows, Index keys) {
  constexpr T nothing = -std::numeric_limits<T>::infinity();
  constexpr std::size_t at_once = 16;
  std::array<Lanes<T>, at_once> all;
  std::array<T, at_once> largest, sums;
  for (Index first = 0; first < rows; first += Index{at_once}) {
    const auto count = static_cast<std::size_t>(std::min(rows - first, Index{at_once}));
    const T* from = scores + first * keys;
    T* to = weights + first * keys;
    for (std::size_t row = 0; row < count; ++row) {
      all[row].fill(nothing);
      for (std::size_t i = 0; i < static_cast<std::size_t>(keys); ++i) all[row][i] = *from++;
    }
    for (std::size_t row = 0; row < count; ++row)
      largest[row] = joined<lanes<T> / 2>(all[row], [](T a, T b) { return a > b ? a : b; });
    for (std::size_t row = 0; row < count; ++row) {
      if (largest[row] == nothing) {  // every key is hidden or NaN
        for (T& score : all[row]) score = score == nothing ? T{0} : score;
        sums[row] = 1;
        continue;
      }
      Lanes<T> sums_of_lanes{};
      exponentials(all[row].data(), largest[row], all[row].data(), sums_of_lanes.data());
    }
    for (std::size_t row = 0; row < count; ++row)
      if (largest[row] != nothing) sums[row] = joined<lanes<T> / 2>(all[row], [](T a, T b) { return a + b; });
    for (std::size_t row = 0; row < count; ++row) {
      for (T& weight : all[row]) weight /= sums[row];
      for (std::size_t i = 0; i < static_cast<std::size_t>(keys); ++i) *to++ = all[row][i];
    }
  }
}

template <class T>
HEADLIGHT_INLINED void softmax_all_rows(const T* scores, T* weights, Index rows, Index keys) {
  if (keys <= lanes<T>) return softmax_short_rows(scores, weights, rows, keys);
  for (Index row = 0; row < rows; ++row) softmax_row(scores + row * keys, weights + row * keys, keys);
}

template <class T>
HEADLIGHT_INLINED T weighted_row(const T* weights, const T* gradients, Index keys) {
  const Index whole = keys / lanes<T> * lanes<T>;
  Lanes<T> sums{};
  for (Index first = 0; first < whole; first += lanes<T>)
    for (Index i = 0; i < lanes<T>; ++i) sums[static_cast<std::size_t>(i)] += weights[first + i] * gradients[first + i];
  for (Index i = whole; i < keys; ++i) sums[static_cast<std::size_t>(i - whole)] += weights[i] * gradients[i];
  return joined<lanes<T> / 2>(sums, [](T a, T b) { return a + b; });
}

template <class T>
HEADLIGHT_INLINED void softmax_row_backward(const T* weights, const T* gradients, T* scores, Index keys) {
  const T mean = weighted_row(weights, gradients, keys);
  for (Index i = 0; i < keys; ++i) scores[i] = weights[i] * (gradients[i] - mean);
}

}  // namespace

HEADLIGHT_VECTORIZED float weighted_sum(const float* weights, const float* gradients, Index keys) {
  return weighted_row(weights, gradients, keys);
}
HEADLIGHT_VECTORIZED double weighted_sum(const double* weights, const double* gradients, Index keys) {
  return weighted_row(weights, gradients, keys);
}
HEADLIGHT_VECTORIZED void softmax_rows_backward(const float* weights, const float* gradients, float* scores, Index rows,
                                                Index keys) {
  for (Index n = 0; n < rows * keys; n += keys) softmax_row_backward(weights + n, gradients + n, scores + n, keys);
}
HEADLIGHT_VECTORIZED void softmax_rows_backward(const double* weights, const double* gradients, double* scores,
                                                Index rows, Index keys) {
  for (Index n = 0; n < rows * keys; n += keys) softmax_row_backward(weights + n, gradients + n, scores + n, keys);
}

HEADLIGHT_VECTORIZED void softmax_rows(const float* scores, float* weights, Index rows, Index keys) {
  if (auto* const relaxed = relaxed_softmax().floats) return relaxed(scores, weights, rows, keys);
  softmax_all_rows(scores, weights, rows, keys);
}
HEADLIGHT_VECTORIZED void softmax_rows(const double* scores, double* weights, Index rows, Index keys) {
  if (auto* const relaxed = relaxed_softmax().doubles) return relaxed(scores, weights, rows, keys);
  softmax_all_rows(scores, weights, rows, keys);
}

}  // namespace headlight
