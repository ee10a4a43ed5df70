// The heads side by side, as what was handed over shows them.
#pragma once

#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Their concat, (batch · query, heads · d_head), in float64: from concat or context itself, or from the output,
/// through the inverse of W_o; not finite where it has none.
Tensor their_concat(Attempt& attempt);

}  // namespace headlight
