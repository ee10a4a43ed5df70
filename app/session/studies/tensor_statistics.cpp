#include "app/session/studies/tensor_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

#include "app/session/studies/in_chunks.hpp"
#include "core/compute/matrices.hpp"

namespace headlight {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
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
  Part both{a.all + b.all,
            a.finite + b.finite,
            a.nan + b.nan,
            a.negative_infinite + b.negative_infinite,
            std::min(a.min, b.min),
            std::max(a.max, b.max),
            0,
            0};
  if (both.finite == 0) return both;
  const double share = static_cast<double>(b.finite) / static_cast<double>(both.finite);
  const double apart = b.mean - a.mean;
  both.mean = a.mean + apart * share;
  both.squares = a.squares + b.squares + apart * apart * static_cast<double>(a.finite) * share;
  return both;
}

/// Of at most block_size numbers.
template <class T>
Part part_of(const T* values, std::size_t count) {
  Part part;
  part.all = static_cast<Index>(count);
  Eigen::Array<double, block_size, 1> finite;  // those of the numbers, moved together
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    finite[part.finite] = value;
    part.finite += std::isfinite(value);
    part.nan += std::isnan(value);
    part.negative_infinite += value == -infinity;
  }
  if (part.finite == 0) return part;
  const auto found = finite.head(part.finite);
  constexpr double no_minus = 0;  // −0 is 0
  part.min = found.minCoeff() + no_minus;
  part.max = found.maxCoeff() + no_minus;
  part.mean = found.mean();
  part.squares = (found - part.mean).square().sum();
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

/// The bins of a histogram.
struct Bins {
  double low;
  double high;
  std::size_t count;
};

/// How many of a tensor's numbers fall into each bin; `place` says how many bins lie below a number. The last bin takes
/// what rounding puts beyond it.
template <class Place>
std::vector<Index> counts_of(const Tensor& tensor, const Bins& bins, const std::stop_token& stop, const Place& place) {
  const auto parts = over_values<std::vector<Index>>(tensor, [&](const auto* values, std::size_t count) {
    std::vector<Index> counts(bins.count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (i % block_size == 0 && stop.stop_requested()) break;
      const auto value = static_cast<double>(values[i]);
      if (value >= bins.low && value <= bins.high)
        ++counts[std::min(static_cast<std::size_t>(place(value)), bins.count - 1)];
    }
    return counts;
  });
  std::vector<Index> counts(bins.count, 0);
  for (const auto& part : parts) std::transform(part.begin(), part.end(), counts.begin(), counts.begin(), std::plus{});
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
  if (!(low <= high) || bins <= 0) return std::vector<Index>(static_cast<std::size_t>(std::max(bins, 0)), 0);
  // Where all are equal they are at the beginning of the first bin, however wide that is.
  const double width = low < high ? (high - low) / bins : 1;
  return counts_of(tensor, {low, high, static_cast<std::size_t>(bins)}, stop,
                   [&](double value) { return (value - low) / width; });
}

std::vector<Index> logarithmic_histogram(const Tensor& tensor, double low, double high, int bins,
                                         const std::stop_token& stop) {
  if (!(low > 0 && low < high) || bins <= 0) return std::vector<Index>(static_cast<std::size_t>(std::max(bins, 0)), 0);
  const double width = std::log(high / low) / bins;
  return counts_of(tensor, {low, high, static_cast<std::size_t>(bins)}, stop,
                   [&](double value) { return std::log(value / low) / width; });
}

}  // namespace headlight
