#include "app/session/tensor_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

/// Calls `body(value)` for each element, widened to double.
template <class Body>
void for_each_value(const Tensor& tensor, Body&& body) {
  if (tensor.empty()) return;
  const Tensor flat = tensor.contiguous();
  with_element_type(flat.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (const T& value : std::span(flat.template data<T>(), static_cast<std::size_t>(flat.elements()))) {
      body(static_cast<double>(value));
    }
  });
}

/// Values in [low, high] by the bin that `place` gives them; the last one takes what rounding puts beyond it.
template <class Place>
void count_values(const Tensor& tensor, double low, double high, std::vector<Index>& counts, Place place) {
  for_each_value(tensor, [&](double value) {
    if (!(value >= low && value <= high)) return;
    ++counts[std::min(static_cast<std::size_t>(place(value)), counts.size() - 1)];
  });
}

}  // namespace

TensorStatistics tensor_statistics(const Tensor& tensor, bool minus_infinity_is_masked) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor flat = tensor.empty() ? tensor : tensor.contiguous();
  TensorStatistics found;
  double low = infinity;
  double high = -infinity;
  double sum = 0;
  for_each_value(flat, [&](double value) {
    if (std::isnan(value)) {
      ++found.nan;
    } else if (std::isinf(value)) {
      ++(minus_infinity_is_masked && value < 0 ? found.masked : found.infinite);
    } else {
      ++found.finite;
      low = std::min(low, value);
      high = std::max(high, value);
      sum += value;
    }
  });
  if (found.finite == 0) return found;
  found.min = low;
  found.max = high;
  found.mean = sum / static_cast<double>(found.finite);
  // A second pass, since squares of numbers far from zero would swallow their differences.
  double squares = 0;
  for_each_value(flat, [&](double value) {
    if (std::isfinite(value)) squares += (value - found.mean) * (value - found.mean);
  });
  found.standard_deviation = std::sqrt(squares / static_cast<double>(found.finite));
  return found;
}

std::vector<Index> histogram(const Tensor& tensor, double low, double high, int bins) {
  std::vector<Index> counts(static_cast<std::size_t>(std::max(bins, 0)), 0);
  if (counts.empty() || !(low <= high)) return counts;
  const double width = (high - low) / bins;
  count_values(tensor, low, high, counts, [&](double value) { return width > 0 ? (value - low) / width : 0; });
  return counts;
}

std::vector<Index> logarithmic_histogram(const Tensor& tensor, double low, double high, int bins) {
  std::vector<Index> counts(static_cast<std::size_t>(std::max(bins, 0)), 0);
  if (counts.empty() || !(low > 0 && low < high)) return counts;
  const double width = std::log(high / low) / bins;
  count_values(tensor, low, high, counts, [&](double value) { return std::log(value / low) / width; });
  return counts;
}

}  // namespace headlight
