// Mistakes that all projections share.
#pragma once

#include <optional>

#include "core/diagnose/mistakes/mistake.hpp"

namespace headlight {

/// input @ weightᵀ + bias; none where the weight is not square.
std::optional<Tensor> with_transposed_weight(Attempt& attempt);

/// input @ weight; none where there is no bias.
std::optional<Tensor> without_bias(Attempt& attempt);

}  // namespace headlight
