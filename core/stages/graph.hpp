// What follows from the table of stages: who reads whom, and which cells meet in one.
#pragma once

#include <optional>
#include <vector>

#include "core/model/cell.hpp"
#include "core/stages/table.hpp"

namespace headlight {

/// Whether the stage reads the operand under the setup.
bool reads(const Operand& operand, const Setup& setup);
/// The operands that the stage reads, in the order of the table.
std::vector<Operand> operands_of(const Stage& stage, const Setup& setup);
/// What a stage reads at a place, if it reads anything there.
std::optional<Operand> operand_at(const Stage& stage, Operand::Place place, const Setup& setup);

/// The tensors that are made from this one, in the order of the table.
std::vector<TensorId> consumers(TensorId id, const Setup& setup);

/// The softmax row that a number takes part in, as a tensor of the same indices: `weights` for dot products, scores and
/// masked scores, and for the weights themselves. None elsewhere.
std::optional<TensorId> row_of(TensorId id, const Setup& setup);

/// Whether a softmax lies on the way to the tensor, or makes it.
bool follows_softmax(TensorId id);

/// The place of the axis in `result` that an axis of its operand stands for: the axis itself; the query heads, for key
/// and value heads, which they share; key positions, where queries and keys are made from the same positions. None for
/// an axis that the operation sums over.
std::optional<int> place_in_result(Axis axis, const TensorInfo& operand, const TensorInfo& result);

/// The axis that a product sums over.
Axis summed_axis(const Stage& product, const Setup& setup);

/// The cell of an operand that the n-th summand of a cell reads.
Shape index_in_operand(TensorId operand, const Cell& result, Index n, const Setup& setup);

}  // namespace headlight
