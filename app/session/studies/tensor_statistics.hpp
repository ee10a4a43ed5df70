// Statistics of a tensor, or of any window on one.
#pragma once

#include <stop_token>
#include <vector>

#include "core/model/tensor.hpp"

namespace headlight {

/// Statistics of the finite numbers; all 0 if there are none.
struct TensorStatistics {
  Index finite = 0;
  Index masked = 0;  ///< −inf that the mask put there
  Index nan = 0;
  Index infinite = 0;  ///< any other infinity
  double min = 0;
  double max = 0;
  double mean = 0;
  double standard_deviation = 0;  ///< of the whole population, like np.std

  friend bool operator==(const TensorStatistics&, const TensorStatistics&) = default;
};

/// Computes the statistics. With `minus_infinity_is_masked` (for masked_scores) −inf counts as masked, else as
/// infinite.
TensorStatistics tensor_statistics(const Tensor& tensor, bool minus_infinity_is_masked = false);

/// How many finite numbers fall into each of `bins` equal parts of [low, high]. The last part includes high, and
/// numbers outside are left out, as in np.histogram. If low equals high, the numbers equal to it fall into the first
/// part. The result is meaningless if it was stopped.
std::vector<Index> histogram(const Tensor& tensor, double low, double high, int bins, const std::stop_token& stop = {});
/// The same for parts of equal ratio, for a logarithmic axis; 0 < low < high.
std::vector<Index> logarithmic_histogram(const Tensor& tensor, double low, double high, int bins,
                                         const std::stop_token& stop = {});

}  // namespace headlight
