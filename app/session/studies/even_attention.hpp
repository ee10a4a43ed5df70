// Attention compared with attention that is spread evenly, so that the structure of a long row can be seen.
#pragma once

#include "core/compute/threads.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Weights as multiples of even attention: each weight times the number of keys that its query may see, so that 1 is
/// what the query would give each of those keys if it preferred none. Same shape as the tensor, (batch, head, query,
/// key), which must be in the trace.
Tensor multiples_of_even(Threads& threads, const Trace& trace, TensorId weights);

}  // namespace headlight
