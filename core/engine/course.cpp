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

ModelTrace passed_again(const ModelTrace& model, const Setup& setup, std::span<const TensorId> wanted,
                        std::span<const Tensor> learned) {
  Pass pass(setup, wanted);
  for (Trace& layer : pass.layers()) {
    const Trace& from = model.at(layer.setup.layer);
    for (const TensorId id : drawn_tensors())
      if (from.has(id) && is_drawn(id, layer.setup)) layer[id] = from[id];
  }
  const std::vector<LayerTensor> parameters = learned_in_model(setup);
  for (std::size_t i = 0; i < learned.size(); ++i) parameters[i].in(pass.layers()) = learned[i];
  Workspace workspace;
  pass.run(model.first().sequences, workspace);
  ModelTrace passed;
  for (Trace& layer : pass.layers()) passed.layers.push_back(std::make_shared<const Trace>(std::move(layer)));
  return passed;
}

Tensor weights_at(const ModelTrace& model, Index layer, const KeptStep& kept) {
  constexpr std::array wanted{TensorId::weights};
  return passed_again(model, model.first().setup, wanted, kept.learned).at(layer)[TensorId::weights];
}

std::vector<HeadPrice> head_prices(const ModelTrace& model, Index layer) {
  const Trace& trace = model.at(layer);
  constexpr std::array wanted{TensorId::output, TensorId::logits, TensorId::loss};
  std::vector<HeadPrice> prices;
  for (Index head = 0; head < trace.setup.sizes.heads; ++head) {
    const bool ablated = trace.setup.is_ablated(head);
    const ModelTrace without = passed_again(model, with_ablated(trace.setup, head, !ablated), wanted);
    prices.push_back(
        {verdict_of(without.last()), mean_difference(trace[TensorId::output], without.at(layer)[TensorId::output])});
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

double loss_with(const ModelTrace& model, const Cell& cell, double number) {
  Workspace workspace;
  Tensor from_below;  // what the layer below leaves now; empty as long as nothing has changed
  for (Index layer = cell.layer; layer < std::ssize(model.layers); ++layer) {
    Trace next = model.at(layer);
    std::array<bool, tensor_count> changed{};
    const auto put = [&](TensorId id, Tensor tensor) {
      next[id] = std::move(tensor);
      changed[index_of(id)] = true;
    };
    const bool is_own = layer == cell.layer;
    if (is_own) put(cell.tensor, with_number(next[cell.tensor], cell.index, number));
    else put(TensorId::X, from_below);
    for (const Stage& stage : stages()) {
      if (stage.result == (is_own ? cell.tensor : TensorId::X) || !exists(stage.result, next.setup)) continue;
      const auto reads = operands_of(stage, next.setup);
      const bool follows =
          std::ranges::any_of(reads, [&](const Operand& operand) { return changed[index_of(operand.tensor)]; });
      if (follows) put(stage.result, stage.compute(next, workspace));
    }
    if (next.setup.is_last()) return mean_loss(next);
    from_below = what_leaves(next);
  }
  return mean_loss(model.last());
}

}  // namespace headlight
