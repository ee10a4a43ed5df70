// Statistics of a tensor, or of any window on one.
#pragma once

#include <stop_token>
#include <vector>

#include "core/compute/threads.hpp"
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

/// `minus_infinity_is_masked` holds for masked_scores; anywhere else an infinity is an infinity.
TensorStatistics tensor_statistics(Threads& threads, const Tensor& tensor, bool minus_infinity_is_masked = false);

/// The number that this share (0 to 1) of the positive finite numbers does not exceed; 0 if there are none. Of a large
/// tensor a regular sample of some ten thousand numbers is read.
double positive_quantile(const Tensor& tensor, double share);

/// How many finite numbers fall into each of `bins` equal parts of [low, high]; the last one includes high, and numbers
/// outside are left out, as np.histogram does. Where low equals high, all that equal it fall into the first. Of no use
/// where it was stopped.
std::vector<Index> histogram(Threads& threads, const Tensor& tensor, double low, double high, int bins,
                             const std::stop_token& stop = {});
/// The same with parts of equal ratio, for a logarithmic axis; 0 < low < high.
std::vector<Index> logarithmic_histogram(Threads& threads, const Tensor& tensor, double low, double high, int bins,
                                         const std::stop_token& stop = {});

}  // namespace headlight
