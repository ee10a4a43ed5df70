#include "app/session/studies/key_shares.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "core/compute/fused.hpp"
#include "core/compute/vectors.hpp"
#include "core/model/mask.hpp"

namespace headlight {
namespace {

/// The number of values that a loop step processes in parallel. Each lane has its own sum, so the result is the same
/// for every width of vector register.
constexpr std::size_t lanes = 16;
using Lanes = std::array<double, lanes>;

HEADLIGHT_INLINED double sum_of(Lanes parts) {
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) parts[i] += parts[i + half];
  return parts[0];
}

constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
constexpr int mantissa = 52;
constexpr int exponent_bias = 1023;
constexpr double first_wide = 0x1p52;  ///< from here on a double has no fractional bits

/// The coefficients 1/(2n + 1), ..., 1/3, 1 of atanh(s) = s (1 + s²/3 + s⁴/5 + ...), cut off with an error below 2^-56
/// for |s| < 0.172.
constexpr auto atanh_series = [] {
  std::array<double, 11> coefficients{};
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    coefficients[i] = 1 / static_cast<double>(2 * (coefficients.size() - 1 - i) + 1);
  return coefficients;
}();

/// log2 of a normal number: x = 2^k m with m from sqrt(1/2) to sqrt(2), and ln m = 2 atanh((m − 1) / (m + 1)).
HEADLIGHT_INLINED double logarithm(double x) {
  constexpr std::uint64_t one = bits_of(1);
  constexpr std::uint64_t least = bits_of(std::numbers::sqrt2 / 2);
  const std::uint64_t shifted = bits_of(x) + (one - least);
  const double k = std::bit_cast<double>((shifted >> mantissa) + bits_of(first_wide)) - (first_wide + exponent_bias);
  const double m = std::bit_cast<double>((shifted & ((std::uint64_t{1} << mantissa) - 1)) + least);
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double series = atanh_series[0];
#pragma GCC unroll 16  // the loop around this one is vectorised only if this one is unrolled
  for (std::size_t i = 1; i < atanh_series.size(); ++i) series = fused(series, z, atanh_series[i]);
  return fused(s * series, 2 * std::numbers::log2e, k);
}

/// −x log2 x; 0 for x = 0 and for x too small to matter.
HEADLIGHT_INLINED double entropy_term(double x) {
  const double term = -x * logarithm(x);
  return x < std::numeric_limits<double>::min() ? 0 : term;
}

HEADLIGHT_INLINED void add_entropies(const double* p, double* sums) {
  for (std::size_t i = 0; i < lanes; ++i) sums[i] += entropy_term(p[i]);
}

HEADLIGHT_INLINED void add_entropies_between(const double* p, const double* q, double* sums) {
  for (std::size_t i = 0; i < lanes; ++i) sums[i] += entropy_term((p[i] + q[i]) / 2);
}

HEADLIGHT_VECTORIZED double entropy_of(const double* p, std::size_t count) {
  Lanes sums{};
  for (std::size_t i = 0; i < count; i += lanes) add_entropies(p + i, sums.data());
  return sum_of(sums);
}

HEADLIGHT_VECTORIZED double entropy_of_mean(const double* p, const double* q, std::size_t count) {
  Lanes sums{};
  for (std::size_t i = 0; i < count; i += lanes) add_entropies_between(p + i, q + i, sums.data());
  return sum_of(sums);
}

HEADLIGHT_VECTORIZED double distance_of(const double* p, std::size_t count, double query) {
  Lanes sums{};
  Lanes positions;
  for (std::size_t i = 0; i < lanes; ++i) positions[i] = static_cast<double>(i) - query;
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += p[i + lane] * std::abs(positions[lane]);
      positions[lane] += lanes;
    }
  }
  return sum_of(sums);
}

/// Copies `count` numbers, a multiple of lanes, as doubles. Returns their sum.
template <class T>
HEADLIGHT_INLINED double copy_and_sum(const T* from, std::size_t count, double* into) {
  Lanes sums{};
  for (std::size_t i = 0; i < count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += into[i + lane] = static_cast<double>(from[i + lane]);
  return sum_of(sums);
}

HEADLIGHT_VECTORIZED double read_row(const float* from, std::size_t count, double* into) {
  return copy_and_sum(from, count, into);
}
HEADLIGHT_VECTORIZED double read_row(const double* from, std::size_t count, double* into) {
  return copy_and_sum(from, count, into);
}

HEADLIGHT_VECTORIZED void multiply(double* p, std::size_t count, double factor) {
  for (std::size_t i = 0; i < count; ++i) p[i] *= factor;
}

HEADLIGHT_VECTORIZED double largest_of(const double* p, std::size_t count) {
  Lanes largest{};
  for (std::size_t i = 0; i < count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) largest[lane] = std::max(largest[lane], p[i + lane]);
  return *std::max_element(largest.begin(), largest.end());
}

}  // namespace

KeyShares empty_shares(Index keys) {
  return KeyShares((static_cast<std::size_t>(keys) + lanes - 1) / lanes * lanes, 0);
}

bool read_shares(const Tensor& matrix, Index query, KeyShares& into) {
  const auto keys = static_cast<std::size_t>(matrix.shape()[1]);
  const std::size_t whole = keys / lanes * lanes;
  const double sum = with_element_type(matrix.precision(), [&](auto zero) {
    const auto* const row = matrix.data<decltype(zero)>() + query * matrix.shape()[1];
    double total = read_row(row, whole, into.data());
    for (std::size_t key = whole; key < keys; ++key) total += into[key] = static_cast<double>(row[key]);
    return total;
  });
  if (!(sum >= std::numeric_limits<double>::min()) || !std::isfinite(sum)) return false;
  multiply(into.data(), keys, 1 / sum);
  return true;
}

double entropy(const KeyShares& p) { return entropy_of(p.data(), p.size()); }

double entropy_between(const KeyShares& p, const KeyShares& q) { return entropy_of_mean(p.data(), q.data(), p.size()); }

double mean_distance(const KeyShares& p, Index query) {
  return distance_of(p.data(), p.size(), static_cast<double>(query));
}

double peak(const KeyShares& p) { return largest_of(p.data(), p.size()); }

namespace {

/// The number of keys that each query may see, (batch, query).
std::vector<Index> visible_keys(const Setup& setup) {
  const Mask mask(setup);
  std::vector<Index> counts;
  for (Index item = 0; item < setup.sizes.batch; ++item)
    for (Index query = 0; query < setup.sizes.query_length; ++query) counts.push_back(mask.visible_keys(item, query));
  return counts;
}

}  // namespace

Tensor multiples_of_even(Threads& threads, const Trace& trace, TensorId weights) {
  const Tensor from = trace[weights].contiguous();  // (batch, head, query, key)
  Tensor multiples = Tensor::uninitialized(from.precision(), from.shape());
  const Index heads = from.shape()[1];
  const Index queries = from.shape()[2];
  const Index keys = from.shape()[3];
  const std::vector<Index> visible = visible_keys(trace.setup);
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* const in = from.data<T>();
    T* const out = multiples.writable<T>();
    threads.run_over(from.elements(), from.shape()[0] * heads * queries, [&](Index row) {
      const Index query = row / (heads * queries) * queries + row % queries;
      const auto count = static_cast<T>(visible[static_cast<std::size_t>(query)]);
      std::transform(in + row * keys, in + (row + 1) * keys, out + row * keys, [count](T w) { return w * count; });
    });
  });
  return multiples;
}

}  // namespace headlight
