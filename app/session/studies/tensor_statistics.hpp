// Statistics of a tensor, which may be a window on another one.
#pragma once

#include <stop_token>
#include <vector>

#include "core/compute/threads.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Statistics of the finite numbers; all 0 if there are none.
struct TensorStatistics {
  Index finite = 0;
  Index masked = 0;  ///< −inf set by the mask
  Index nan = 0;
  Index infinite = 0;  ///< any other infinity
  double min = 0;
  double max = 0;
  double mean = 0;
  double standard_deviation = 0;  ///< of the whole population, like np.std

  friend bool operator==(const TensorStatistics&, const TensorStatistics&) = default;
};

/// `minus_infinity_is_masked` is true for masked_scores only.
TensorStatistics tensor_statistics(Threads& threads, const Tensor& tensor, bool minus_infinity_is_masked = false);

/// The quantile of the positive finite numbers at this share (0 to 1); 0 if there are none. Of a large tensor it reads
/// a regular sample of more than ten thousand numbers.
double positive_quantile(const Tensor& tensor, double share);

/// The number of finite values in each of `bins` equal parts of [low, high]. As in np.histogram, the last part includes
/// high, and values outside are left out. If low equals high, values equal to it are counted in the first part. The
/// result must not be used after a stop.
std::vector<Index> histogram(Threads& threads, const Tensor& tensor, double low, double high, int bins,
                             const std::stop_token& stop = {});
/// The same with parts of equal ratio, for a logarithmic axis. 0 < low < high must hold.
std::vector<Index> logarithmic_histogram(Threads& threads, const Tensor& tensor, double low, double high, int bins,
                                         const std::stop_token& stop = {});

}  // namespace headlight
