#include "core/model/attention_alone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace headlight {

bool is_whole_row(double sum) {
  constexpr double rounding = 0.01;  // of a row of bfloat16
  return sum == 0 || std::abs(sum - 1) <= rounding;
}

std::string doubts_about_rows(const Tensor& weights) {
  const Tensor rows = weights.contiguous();
  const Index keys = rows.shape().back(0);
  Index others = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  with_element_type(rows.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* const end = rows.data<T>() + rows.elements();
    for (const T* row = rows.data<T>(); row != end; row += keys) {
      const double sum = std::accumulate(row, row + keys, 0.0);
      if (is_whole_row(sum)) continue;
      ++others;
      least = std::min(least, sum);
      most = std::max(most, sum);
    }
  });
  if (others == 0) return {};
  const std::string sums = others == 1 ? fmt::format("{:.3g}", least) : fmt::format("{:.3g} to {:.3g}", least, most);
  return fmt::format(
      "{} of {} rows of weights add up to something other than 1 ({}); dropout does that, and "
      "model.eval() turns it off",
      others, rows.elements() / keys, sums);
}

}  // namespace headlight
