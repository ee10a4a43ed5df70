// Where any number of a trace comes from and where it goes.
#pragma once

#include "core/model/explanation.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Explains any cell of any tensor of the trace. The terms add up to the value as far as the arithmetic allows:
/// exactly for single terms, within the rounding of a sum of the same length otherwise.
/// Throws InputError where the cell is not in the trace.
Explanation explain(const Trace& trace, const Cell& cell);

}  // namespace headlight
