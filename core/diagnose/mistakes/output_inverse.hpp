// The heads side by side, as what was handed over shows them.
#pragma once

#include "core/compute/matrices.hpp"
#include "core/diagnose/mistakes/mistake.hpp"

namespace headlight {

/// Their concat, (batch · query, heads · d_head): from concat or context itself, or from the output, through the
/// inverse of W_o; not finite where it has none.
RowMajor<double> their_concat(Attempt& attempt);

}  // namespace headlight
