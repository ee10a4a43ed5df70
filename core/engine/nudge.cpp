#include "core/engine/nudge.hpp"

#include <algorithm>
#include <array>

#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"
#include "core/training/pass.hpp"

namespace headlight {
namespace {

Tensor contiguous_with_number(const Tensor& tensor, const Shape& index, double number) {
  const Tensor from = tensor.contiguous();
  Tensor copy = Tensor::uninitialized(from.precision(), from.shape());
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    T* const to = copy.writable<T>();
    std::copy_n(from.data<T>(), from.elements(), to);
    Index place = 0;
    for (int axis = 0; axis < index.rank(); ++axis) place = place * from.shape()[axis] + index[axis];
    to[place] = static_cast<T>(number);
  });
  return copy;
}

/// The tensor with another number in a cell, in memory of its own. Heads that lie side by side in one matrix, as those
/// of the context do, still lie so: the stages join them without a copy.
Tensor with_number(const Tensor& tensor, const Shape& index, double number) {
  if (tensor.is_contiguous() || tensor.shape().rank() != 4) return contiguous_with_number(tensor, index, number);
  const Shape of_position{index[0], index[2], index[1], index[3]};
  return contiguous_with_number(tensor.transposed(1, 2), of_position, number).transposed(1, 2);
}

}  // namespace

double loss_with(const Trace& trace, const Cell& cell, double number) {
  Trace next = trace;
  next[cell.tensor] = with_number(trace[cell.tensor], cell.index, number);
  std::array<bool, tensor_count> changed{};
  changed[index_of(cell.tensor)] = true;
  Workspace workspace;
  for (const Stage& stage : stages()) {
    if (stage.result == cell.tensor || !exists(stage.result, trace.setup)) continue;
    const auto reads = operands_of(stage, trace.setup);
    const bool follows =
        std::ranges::any_of(reads, [&](const Operand& operand) { return changed[index_of(operand.tensor)]; });
    if (!follows) continue;
    next[stage.result] = stage.compute(next, workspace);
    changed[static_cast<std::size_t>(stage.result)] = true;
  }
  return mean_loss(next);
}

}  // namespace headlight
