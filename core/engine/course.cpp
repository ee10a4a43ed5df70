#include "core/engine/course.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

double mean_difference(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (Index item = 0; item < a.shape()[0]; ++item)
    for (Index row = 0; row < a.shape()[1]; ++row)
      for (Index column = 0; column < a.shape()[2]; ++column)
        sum += std::abs(a.at({item, row, column}) - b.at({item, row, column}));
  return sum / static_cast<double>(a.elements());
}

}  // namespace

const KeptStep& Course::before(Index step) const {
  const auto behind = std::ranges::upper_bound(kept, step, {}, [](const auto& one) { return one->step; });
  return **std::prev(behind);
}

std::size_t Course::bytes() const {
  std::size_t bytes = 0;
  for (const auto& one : kept)
    for (const Tensor& tensor : one->learned)
      bytes += static_cast<std::size_t>(tensor.elements()) * bytes_per_element(tensor.precision());
  return bytes;
}

Trace passed_again(const Trace& trace, const Setup& setup, std::span<const TensorId> wanted,
                   std::span<const Tensor> learned) {
  Pass pass(setup, wanted);
  for (const TensorId id : drawn_tensors())
    if (trace.has(id) && is_drawn(id, setup)) pass.trace()[id] = trace[id];
  const std::vector<TensorId> ids = learned_tensors(setup);
  for (std::size_t i = 0; i < learned.size(); ++i) pass.trace()[ids[i]] = learned[i];
  Workspace workspace;
  pass.run(trace.sequences, workspace);
  return std::move(pass.trace());
}

Tensor weights_at(const Trace& trace, const KeptStep& kept) {
  constexpr std::array wanted{TensorId::weights};
  return passed_again(trace, trace.setup, wanted, kept.learned)[TensorId::weights];
}

std::vector<HeadPrice> head_prices(const Trace& trace) {
  constexpr std::array wanted{TensorId::output, TensorId::logits, TensorId::loss};
  std::vector<HeadPrice> prices;
  for (Index head = 0; head < trace.setup.sizes.heads; ++head) {
    const bool ablated = trace.setup.attention.is_ablated(head);
    const Trace without = passed_again(trace, with_ablated(trace.setup, head, !ablated), wanted);
    prices.push_back({verdict_of(without), mean_difference(trace[TensorId::output], without[TensorId::output])});
  }
  return prices;
}

namespace {

Tensor contiguous_with_number(const Tensor& tensor, const Shape& index, double number) {
  Tensor copy = Tensor::uninitialized(tensor.precision(), tensor.shape());
  copy_numbers(tensor, copy);
  Tensor cell = copy;
  for (const Index i : index) cell = cell.selected(0, i);
  copy_numbers(tensor_of({}, {&number, 1}), cell);
  return copy;
}

/// The tensor with another number in a cell, in memory of its own. Heads that are side by side in one matrix, as those
/// of the context are, stay so: the stages join them without a copy.
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
