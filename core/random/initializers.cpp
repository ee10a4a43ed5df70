#include "core/random/initializers.hpp"

#include <cmath>

namespace headlight {

// The same operations in the same order as in PyTorch, because the last bit of the bound enters every drawn number.

double linear_weight_bound(Index inputs) {
  const double slope = std::sqrt(5.0);
  const double gain = std::sqrt(2.0 / (1.0 + slope * slope));
  const double deviation = gain / std::sqrt(static_cast<double>(inputs));
  return std::sqrt(3.0) * deviation;
}

double linear_bias_bound(Index inputs) { return 1.0 / std::sqrt(static_cast<double>(inputs)); }

double xavier_uniform_bound(Index inputs, Index outputs) {
  const double deviation = std::sqrt(2.0 / static_cast<double>(inputs + outputs));
  return std::sqrt(3.0) * deviation;
}

}  // namespace headlight
