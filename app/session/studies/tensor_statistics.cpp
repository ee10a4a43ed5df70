#include "app/session/studies/tensor_statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "app/session/studies/in_chunks.hpp"
#include "core/compute/vectors.hpp"

namespace headlight {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t lanes = 8;
/// The number of values that stay in the nearest cache between the first and the second pass over them.
constexpr std::size_t block_size = 2048;

/// The statistics of some numbers. `squares` is Σ (v − mean)²: with Σ v², numbers far from zero would lose their
/// differences to rounding.
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

/// The statistics of two sets of numbers together (Chan, Golub and LeVeque).
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

/// The type for the bits of a number as a signed integer. With integers, infinities and NaN are recognised and numbers
/// are compared without branches.
template <class T>
using Bits = std::conditional_t<std::is_same_v<T, float>, std::int32_t, std::int64_t>;

template <class T>
constexpr Bits<T> bits_of(T value) {
  return std::bit_cast<Bits<T>>(value);
}

/// Bits that compare as integers in the order of the numbers. Applied twice, it gives the original bits.
template <class T>
constexpr Bits<T> in_order(Bits<T> bits) {
  return bits ^ ((bits >> (8 * sizeof(T) - 1)) & std::numeric_limits<Bits<T>>::max());
}

/// Σ look(i). Several sums run side by side, which the compiler makes one vector; a single sum would wait for each
/// addition. `count` must be a multiple of lanes.
template <class Look>
HEADLIGHT_INLINED double sum_over(std::size_t count, const Look& look) {
  std::array<double, lanes> sums{};
  for (std::size_t i = 0; i < count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += look(i + lane);
  double total = 0;
  for (double sum : sums) total += sum;
  return total;
}

/// The statistics of at most block_size numbers.
template <class T>
HEADLIGHT_INLINED Part part_of_block(const T* values, std::size_t count) {
  using I = Bits<T>;
  constexpr I largest = std::numeric_limits<I>::max();
  constexpr I smallest = std::numeric_limits<I>::min();
  constexpr I infinite = bits_of(std::numeric_limits<T>::infinity());
  constexpr I negative_infinite = bits_of(-std::numeric_limits<T>::infinity());
  std::array<I, block_size> numbers;  // the bits of each number; 0 for infinities and NaN
  std::array<I, block_size> kept;     // the bits of 1 where the value is finite, else of 0
  I low = largest;
  I high = smallest;
  I finite = 0;
  I nan = 0;
  I negative = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const I bits = bits_of(values[i]);
    const I magnitude = bits & largest;
    const I number = -static_cast<I>(magnitude < infinite);  // all bits set if finite, else none
    finite -= number;
    nan += static_cast<I>(magnitude > infinite);
    negative += static_cast<I>(bits == negative_infinite);
    const I ordered = in_order<T>(bits);
    const I from_below = (ordered & number) | (largest & ~number);
    const I from_above = (ordered & number) | (smallest & ~number);
    low = from_below < low ? from_below : low;
    high = from_above > high ? from_above : high;
    numbers[i] = bits & number;
    kept[i] = bits_of(T{1}) & number;
  }

  Part part;
  part.all = static_cast<Index>(count);
  part.finite = finite;
  part.nan = nan;
  part.negative_infinite = negative;
  if (finite == 0) return part;
  constexpr double no_minus = 0;  // adding it turns −0 into 0
  part.min = static_cast<double>(std::bit_cast<T>(in_order<T>(low))) + no_minus;
  part.max = static_cast<double>(std::bit_cast<T>(in_order<T>(high))) + no_minus;
  const std::size_t padded = (count + lanes - 1) / lanes * lanes;
  for (std::size_t i = count; i < padded; ++i) numbers[i] = kept[i] = 0;
  const auto number_at = [&](std::size_t i) { return static_cast<double>(std::bit_cast<T>(numbers[i])); };
  const double mean = sum_over(padded, number_at) / static_cast<double>(finite);
  part.mean = mean;
  part.squares = sum_over(padded, [&](std::size_t i) {
    const double apart = (number_at(i) - mean) * static_cast<double>(std::bit_cast<T>(kept[i]));
    return apart * apart;
  });
  return part;
}

HEADLIGHT_VECTORIZED Part part_of(const float* values, std::size_t count) { return part_of_block(values, count); }
HEADLIGHT_VECTORIZED Part part_of(const double* values, std::size_t count) { return part_of_block(values, count); }

/// Calls `work(first, count)` for ranges of the tensor's numbers in row-major order. Returns the results in order.
template <class Result, class Work>
std::vector<Result> over_values(Threads& threads, const Tensor& tensor, const Work& work) {
  if (tensor.empty()) return {};
  const Tensor flat = tensor.contiguous();
  return with_element_type(flat.precision(), [&](auto zero) {
    const auto* const values = flat.data<decltype(zero)>();
    return in_chunks<Result>(threads, flat.elements(), [&](Index begin, Index end) {
      return work(values + begin, static_cast<std::size_t>(end - begin));
    });
  });
}

/// The bins of a histogram. Numbers outside are counted in an extra bin at the end.
struct Bins {
  double low;
  double high;
  double width;
  std::int32_t count;
};

/// Finds each number's bin. A number that rounding puts beyond the last bin counts in the last.
template <class T, class Bin>
HEADLIGHT_INLINED void find_bins(const T* values, std::size_t count, const Bins& bins, std::int32_t* found,
                                 const Bin& bin_of) {
  const double last = bins.count - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    const bool inside = (value >= bins.low) & (value <= bins.high);
    const double bin = bin_of(inside ? value : bins.low);
    found[i] = inside ? static_cast<std::int32_t>(bin < last ? bin : last) : bins.count;
  }
}

HEADLIGHT_INLINED double linear_bin(double value, const Bins& bins) { return (value - bins.low) / bins.width; }

HEADLIGHT_VECTORIZED void linear_bins(const float* values, std::size_t count, const Bins& bins, std::int32_t* found) {
  find_bins(values, count, bins, found, [&](double value) { return linear_bin(value, bins); });
}
HEADLIGHT_VECTORIZED void linear_bins(const double* values, std::size_t count, const Bins& bins, std::int32_t* found) {
  find_bins(values, count, bins, found, [&](double value) { return linear_bin(value, bins); });
}

/// Counts how many of a tensor's numbers fall into each bin; `find` is one of the functions above. Several rows of
/// counters take turns, because with a single one equal neighbours would have to wait for each other.
template <class Find>
std::vector<Index> counts_of(Threads& threads, const Tensor& tensor, const Bins& bins, const std::stop_token& stop,
                             const Find& find) {
  constexpr std::size_t rows = 4;
  const auto all = static_cast<std::size_t>(bins.count);
  const auto parts = over_values<std::vector<Index>>(threads, tensor, [&](const auto* values, std::size_t count) {
    std::vector<Index> counters(rows * (all + 1), 0);
    std::array<std::int32_t, block_size> found;
    for (std::size_t begin = 0; begin < count && !stop.stop_requested(); begin += block_size) {
      const std::size_t size = std::min(block_size, count - begin);
      find(values + begin, size, bins, found.data());
      for (std::size_t i = 0; i < size; ++i) ++counters[i % rows * (all + 1) + static_cast<std::size_t>(found[i])];
    }
    return counters;
  });
  std::vector<Index> counts(all, 0);
  for (const auto& part : parts)
    for (std::size_t i = 0; i < part.size(); ++i)
      if (i % (all + 1) < all) counts[i % (all + 1)] += part[i];
  return counts;
}

}  // namespace

TensorStatistics tensor_statistics(Threads& threads, const Tensor& tensor, bool minus_infinity_is_masked) {
  const auto parts = over_values<Part>(threads, tensor, [](const auto* values, std::size_t count) {
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

double positive_quantile(const Tensor& tensor, double share) {
  constexpr Index sampled = 20011;  // a prime, so that the sample does not follow rows or diagonals of common lengths
  const Index step = std::max<Index>(1, tensor.elements() / sampled);
  std::vector<double> positive;
  for (Index flat = 0; flat < tensor.elements(); flat += step) {
    Shape index = tensor.shape();
    Index rest = flat;
    for (int axis = index.rank() - 1; axis >= 0; --axis) {
      index[axis] = rest % tensor.shape()[axis];
      rest /= tensor.shape()[axis];
    }
    const double value = tensor.at(std::span(index.begin(), index.end()));
    if (value > 0 && std::isfinite(value)) positive.push_back(value);
  }
  if (positive.empty()) return 0;
  const auto last = static_cast<double>(positive.size() - 1);
  const auto nth = positive.begin() + static_cast<std::ptrdiff_t>(std::llround(share * last));
  std::nth_element(positive.begin(), nth, positive.end());
  return *nth;
}

std::vector<Index> histogram(Threads& threads, const Tensor& tensor, double low, double high, int bins,
                             const std::stop_token& stop) {
  if (!(low <= high) || bins <= 0) return std::vector<Index>(static_cast<std::size_t>(std::max(bins, 0)), 0);
  // If all numbers are equal, they are at the start of the first bin, whatever its width.
  const double width = low < high ? (high - low) / bins : 1;
  return counts_of(threads, tensor, {low, high, width, bins}, stop,
                   [](const auto* values, std::size_t count, const Bins& all, std::int32_t* found) {
                     linear_bins(values, count, all, found);
                   });
}

std::vector<Index> logarithmic_histogram(Threads& threads, const Tensor& tensor, double low, double high, int bins,
                                         const std::stop_token& stop) {
  if (!(low > 0 && low < high) || bins <= 0) return std::vector<Index>(static_cast<std::size_t>(std::max(bins, 0)), 0);
  return counts_of(threads, tensor, {low, high, std::log(high / low) / bins, bins}, stop,
                   [](const auto* values, std::size_t count, const Bins& all, std::int32_t* found) {
                     find_bins(values, count, all, found,
                               [&](double value) { return std::log(value / all.low) / all.width; });
                   });
}

}  // namespace headlight
