// The bounds of PyTorch's initialisations, which fill a weight with Tensor.uniform_(-bound, bound).
#pragma once

#include "core/model/shape.hpp"

namespace headlight {

/// For nn.Linear's weight: nn.init.kaiming_uniform_ with a = √5 (He et al. 2015), which is 1/√inputs up to rounding.
double linear_weight_bound(Index inputs);
/// For nn.Linear's bias.
double linear_bias_bound(Index inputs);
/// For nn.init.xavier_uniform_ (Glorot and Bengio 2010).
double xavier_uniform_bound(Index inputs, Index outputs);

}  // namespace headlight
