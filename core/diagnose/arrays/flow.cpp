#include "core/diagnose/arrays/flow.hpp"

#include <algorithm>
#include <cmath>

#include "core/diagnose/arrays/layout.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

/// A weight that is NaN stays NaN, even if dropout drops it: 0 · NaN is NaN.
void keep_nan(const Tensor& weights, Tensor& dropped) {
  with_element_type(weights.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = weights.data<T>();
    T* to = dropped.writable<T>();
    for (Index i = 0; i < weights.elements(); ++i)
      if (std::isnan(from[i])) to[i] = from[i];
  });
}

}  // namespace

std::vector<TensorId> operand_tensors(TensorId result, const Setup& setup) {
  std::vector<TensorId> tensors;
  for (const Operand& operand : operands_of(stage_of(result), setup)) tensors.push_back(operand.tensor);
  return tensors;
}

void run_stage(Trace& trace, TensorId result, Workspace& workspace) {
  const auto kv_heads = trace.setup.sizes.kv_heads;
  for (const TensorId id : operand_tensors(result, trace.setup))
    if (info(id).has_kv_heads()) trace.setup.sizes.kv_heads = trace[id].shape()[1];
  // Gradients are read head by head or as they are in memory, whatever layout the user's arrays have.
  if (is_gradient(result)) {
    for (const TensorId id : operand_tensors(result, trace.setup)) {
      const bool joins = info(id).has_heads() && info(id).has(Axis::d_head);
      trace[id] = joins ? side_by_side(trace[id]) : trace[id].contiguous();
    }
  }
  if (result == TensorId::concat) trace[TensorId::context] = side_by_side(trace[TensorId::context]);
  if (result == TensorId::dropped_weights) trace[TensorId::weights] = trace[TensorId::weights].contiguous();
  trace[result] = stage_of(result).compute(trace, workspace);
  if (result == TensorId::dropped_weights) keep_nan(trace[TensorId::weights], trace[result]);
  trace.setup.sizes.kv_heads = kv_heads;
}

void run_through(Trace& trace, TensorId first, TensorId last, Workspace& workspace) {
  for (const TensorInfo& tensor : all_tensors()) {
    if (tensor.id < first || tensor.id > last) continue;
    if (exists(tensor.id, trace.setup) && !is_drawn(tensor.id, trace.setup)) run_stage(trace, tensor.id, workspace);
  }
}

bool contains(const std::vector<TensorId>& ids, TensorId id) { return std::ranges::find(ids, id) != ids.end(); }

}  // namespace headlight
