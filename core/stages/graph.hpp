// What follows from the table of stages: which stage reads which tensor, which cells of the two belong together, and
// how much memory all of them take.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/cell.hpp"
#include "core/stages/table.hpp"

namespace headlight {

/// The operands that the stage reads under this setup, in the order of the table.
std::vector<Operand> operands_of(const Stage& stage, const Setup& setup);
/// The operand that a stage of the forward pass reads in a slot under this setup: the first there that exists; null if
/// it reads nothing there.
const Operand* operand_at(const Stage& stage, Operand::Slot slot, const Setup& setup);
/// The last alternative in a slot, such as X, which is read only where none of the others exists; null without any.
const Operand* plainest_operand(const Stage& stage, Operand::Slot slot);

/// The same where the stage always reads something: its tensor.
inline TensorId left_operand(const Stage& stage, const Setup& setup) {
  return operand_at(stage, Operand::Slot::left, setup)->tensor;
}
inline TensorId right_operand(const Stage& stage, const Setup& setup) {
  return operand_at(stage, Operand::Slot::right, setup)->tensor;
}

/// The tensor that the stage reads in a slot, in a trace that holds it; null if it reads nothing there.
const Tensor* tensor_at(const Stage& stage, Operand::Slot slot, const Trace& trace);
/// The same where the stage always reads something.
inline const Tensor& left_of(const Stage& stage, const Trace& trace) {
  return *tensor_at(stage, Operand::Slot::left, trace);
}
inline const Tensor& right_of(const Stage& stage, const Trace& trace) {
  return *tensor_at(stage, Operand::Slot::right, trace);
}

/// The tensors that are computed from this one, in the order of the table: from a tensor of the forward pass those of
/// the forward pass, from a gradient other gradients.
std::vector<TensorId> consumers(TensorId id, const Setup& setup);

/// The paths from each tensor of a forward pass to the loss, under any setup.
using GradientPaths = std::array<std::vector<GradientPath>, tensor_count>;
GradientPaths gradient_paths(std::span<const Stage> forward);
/// Those from one tensor under this setup, in the order of the stages.
std::vector<GradientPath> gradient_paths(TensorId tensor, const Setup& setup);
/// What the gradient of a tensor is computed from, on all its paths.
std::vector<Operand> operands_on(std::span<const GradientPath> paths);
/// Whether two setups agree in everything that a gradient's stage reads besides its operands.
bool same_gradient_settings(TensorId gradient, const Setup& a, const Setup& b);
/// Whether a gradient is a window on another one.
bool is_gradient_window(TensorId gradient, const Setup& setup);

/// The tensor of softmax rows that a tensor's numbers take part in, which has the same indices: `weights` for all from
/// the dot products to `weights` itself, `probabilities` for logits and probabilities. None for other tensors.
std::optional<TensorId> row_of(TensorId id, const Setup& setup);

/// Whether the tensor is made by a softmax or from the result of one.
bool follows_softmax(TensorId id);

/// Which axis of `result` corresponds to an axis of its operand. This is the axis itself, except that key and value
/// heads correspond to the query heads that share them, the positions of X to those of queries or, in self-attention,
/// of keys, and positions to those of X or Y. None for an axis that the operation sums over.
std::optional<int> axis_in_result(Axis axis, const TensorInfo& operand, const TensorInfo& result);

/// The axis that a product sums over, as its left operand has it.
Axis summed_axis(const Stage& product, const Setup& setup);
/// Which axis of an operand that is.
int summed_axis_in(TensorId operand, const Stage& product);

/// The index in the operand that the n-th summand of a cell reads.
Shape index_in_operand(TensorId operand, const Cell& result, Index n, const Setup& setup);

/// The cells of the stage's result that are made with this cell of an operand, in blocks: usually one, none if the cell
/// is left out, and several where batch items count positions differently. Of the label only what is not derived from
/// the rest is missing.
std::vector<GoesInto> cells_made_with(const Cell& cell, const Stage& stage, const Setup& setup);
/// The reverse: the cells of an operand that this cell of the stage's result is made of.
GoesInto cells_made_of(const Cell& cell, TensorId operand, const Setup& setup);

/// How much memory a trace takes, known before anything is computed.
struct MemoryEstimate {
  std::int64_t total_bytes = 0;  ///< saturates instead of overflowing
  TensorId largest = TensorId::X;
  std::int64_t largest_bytes = 0;
};
/// The bytes that a trace holds, and those of given arrays that it cannot use as they are. Windows (split heads,
/// concat, scores without a mask) share another tensor's bytes and add none.
MemoryEstimate estimate_memory(const Setup& setup);

/// Throws InputError if the estimate is over the limit (in bytes); it names the largest tensor and its size.
void require_fits(const Setup& setup, std::int64_t limit, const std::string& source = {});

}  // namespace headlight
