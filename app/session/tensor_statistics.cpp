#include "app/session/tensor_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "app/session/in_chunks.hpp"

namespace headlight {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t lanes = 8;
/// Numbers that stay in the nearest cache between the two looks at them.
constexpr std::size_t block_size = 2048;

/// Some of a tensor's numbers. `squares` is Σ (v − mean)², since squares of numbers far from zero would swallow their
/// differences.
struct Part {
  Index all = 0;
  Index finite = 0;
  Index nan = 0;
  Index negative_infinite = 0;
  double min = infinity;
  double max = -infinity;
  double mean = 0;
  double squares = 0;
};

/// Both together (Chan, Golub and LeVeque).
Part joined(const Part& a, const Part& b) {
  Part both{a.all + b.all, a.finite + b.finite, a.nan + b.nan, a.negative_infinite + b.negative_infinite,
            std::min(a.min, b.min), std::max(a.max, b.max), 0, 0};
  if (both.finite == 0) return both;
  const double share = static_cast<double>(b.finite) / static_cast<double>(both.finite);
  const double apart = b.mean - a.mean;
  both.mean = a.mean + apart * share;
  both.squares = a.squares + b.squares + apart * apart * static_cast<double>(a.finite) * share;
  return both;
}

/// Several sums side by side, which the compiler makes one vector: a single one would have to wait for each addition.
struct Lanes {
  std::array<double, lanes> value{};
  double sum() const {
    double total = 0;
    for (double lane : value) total += lane;
    return total;
  }
};

/// Infinities and NaN are told from numbers without a branch.
template <class T>
Part part_of(const T* values, std::size_t count) {
  constexpr T limit = std::numeric_limits<T>::max();
  std::array<T, lanes> low;
  std::array<T, lanes> high;
  low.fill(std::numeric_limits<T>::infinity());
  high.fill(-std::numeric_limits<T>::infinity());
  std::array<int, lanes> finite{};
  std::array<int, lanes> nan{};
  std::array<int, lanes> negative{};
  Lanes sum;
  const auto look = [&](T v, std::size_t lane) {
    const bool number = std::abs(v) <= limit;
    finite[lane] += number;
    nan[lane] += v != v;
    negative[lane] += v < -limit;
    low[lane] = number && v < low[lane] ? v : low[lane];
    high[lane] = number && v > high[lane] ? v : high[lane];
    sum.value[lane] += static_cast<double>(number ? v : T{0});
  };
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) look(values[i + lane], lane);
  for (std::size_t i = whole; i < count; ++i) look(values[i], i - whole);

  Part part;
  part.all = static_cast<Index>(count);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    part.finite += finite[lane];
    part.nan += nan[lane];
    part.negative_infinite += negative[lane];
    part.min = std::min(part.min, static_cast<double>(low[lane]));
    part.max = std::max(part.max, static_cast<double>(high[lane]));
  }
  if (part.finite == 0) return part;
  part.mean = sum.sum() / static_cast<double>(part.finite);
  Lanes squares;
  const auto add = [&](T v, std::size_t lane) {
    const double apart = std::abs(v) <= limit ? static_cast<double>(v) - part.mean : 0;
    squares.value[lane] += apart * apart;
  };
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) add(values[i + lane], lane);
  for (std::size_t i = whole; i < count; ++i) add(values[i], i - whole);
  part.squares = squares.sum();
  return part;
}

/// Calls `work(first, count)` on neighbouring numbers of the tensor, piece by piece; the results in their order.
template <class Result, class Work>
std::vector<Result> over_values(const Tensor& tensor, const Work& work) {
  if (tensor.empty()) return {};
  const Tensor flat = tensor.contiguous();
  return with_element_type(flat.precision(), [&](auto zero) {
    const auto* const values = flat.data<decltype(zero)>();
    return in_chunks<Result>(flat.elements(), [&](Index begin, Index end) {
      return work(values + begin, static_cast<std::size_t>(end - begin));
    });
  });
}

/// Values in [low, high] by the bin that `place` gives them; the last one takes what rounding puts beyond it.
template <class Place>
std::vector<Index> counts_of(const Tensor& tensor, double low, double high, int bins, const std::stop_token& stop,
                             const Place& place) {
  const auto all = static_cast<std::size_t>(std::max(bins, 0));
  std::vector<Index> counts(all, 0);
  if (all == 0) return counts;
  const auto parts = over_values<std::vector<Index>>(tensor, [&](const auto* values, std::size_t count) {
    std::vector<Index> found(all, 0);
    if (stop.stop_requested()) return found;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<double>(values[i]);
      if (value >= low && value <= high) ++found[std::min(static_cast<std::size_t>(place(value)), all - 1)];
    }
    return found;
  });
  for (const auto& part : parts)
    for (std::size_t bin = 0; bin < all; ++bin) counts[bin] += part[bin];
  return counts;
}

}  // namespace

TensorStatistics tensor_statistics(const Tensor& tensor, bool minus_infinity_is_masked) {
  const auto parts = over_values<Part>(tensor, [](const auto* values, std::size_t count) {
    Part all;
    for (std::size_t i = 0; i < count; i += block_size)
      all = joined(all, part_of(values + i, std::min(block_size, count - i)));
    return all;
  });
  Part all;
  for (const Part& part : parts) all = joined(all, part);
  TensorStatistics found;
  found.finite = all.finite;
  found.nan = all.nan;
  found.masked = minus_infinity_is_masked ? all.negative_infinite : 0;
  found.infinite = all.all - all.finite - all.nan - found.masked;
  if (found.finite == 0) return found;
  found.min = all.min;
  found.max = all.max;
  found.mean = all.mean;
  found.standard_deviation = std::sqrt(all.squares / static_cast<double>(all.finite));
  return found;
}

std::vector<Index> histogram(const Tensor& tensor, double low, double high, int bins, const std::stop_token& stop) {
  if (!(low <= high)) return std::vector<Index>(static_cast<std::size_t>(std::max(bins, 0)), 0);
  const double width = (high - low) / bins;
  return counts_of(tensor, low, high, bins, stop,
                   [&](double value) { return width > 0 ? (value - low) / width : 0; });
}

std::vector<Index> logarithmic_histogram(const Tensor& tensor, double low, double high, int bins,
                                         const std::stop_token& stop) {
  if (!(low > 0 && low < high)) return std::vector<Index>(static_cast<std::size_t>(std::max(bins, 0)), 0);
  const double width = std::log(high / low) / bins;
  return counts_of(tensor, low, high, bins, stop, [&](double value) { return std::log(value / low) / width; });
}

}  // namespace headlight
