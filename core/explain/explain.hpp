// Where any number of a trace comes from and which numbers are computed from it.
#pragma once

#include "core/model/explanation.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Explains any cell of any tensor of the trace. The terms add up to the value: exactly where there is a single term,
/// otherwise within the rounding error of a sum of that length. Throws InputError if the cell is not in the trace.
Explanation explain(const Trace& trace, const Cell& cell);

}  // namespace headlight
