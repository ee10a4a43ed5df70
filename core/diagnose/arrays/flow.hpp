// The forward pass over tensors that were handed over.
#pragma once

#include <vector>

#include "core/compute/workspace.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Fills trace[result] by our stage from its operands in the trace, which may be someone else's: heads need not be
/// side by side in memory, and K_heads and V_heads may have one entry for each query head.
void run_stage(Trace& trace, TensorId result, Workspace& workspace);

/// The same for all computed tensors from one to another, in their order.
void run_through(Trace& trace, TensorId first, TensorId last, Workspace& workspace);

/// The tensors that the stage of `result` reads under the setup.
std::vector<TensorId> operand_tensors(TensorId result, const Setup& setup);

bool contains(const std::vector<TensorId>& ids, TensorId id);

}  // namespace headlight
