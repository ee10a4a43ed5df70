#include "core/stages/graph.hpp"

#include <algorithm>

#include "core/model/shapes.hpp"

namespace headlight {

bool reads(const Operand& operand, const Setup& setup) {
  return exists(operand.tensor, setup) && (operand.used == nullptr || operand.used(setup));
}

std::vector<Operand> operands_of(const Stage& stage, const Setup& setup) {
  std::vector<Operand> operands;
  std::ranges::copy_if(stage.operands, std::back_inserter(operands),
                       [&](const Operand& operand) { return reads(operand, setup); });
  return operands;
}

std::optional<Operand> operand_at(const Stage& stage, Operand::Place place, const Setup& setup) {
  for (const Operand& operand : stage.operands) {
    if (operand.place == place && reads(operand, setup)) return operand;
  }
  return std::nullopt;
}

std::vector<TensorId> consumers(TensorId id, const Setup& setup) {
  std::vector<TensorId> found;
  for (const Stage& stage : stages()) {
    if (!exists(stage.result, setup)) continue;
    const auto reads_it = [&](const Operand& operand) { return operand.tensor == id && reads(operand, setup); };
    if (std::ranges::any_of(stage.operands, reads_it)) found.push_back(stage.result);
  }
  return found;
}

std::optional<TensorId> row_of(TensorId id, const Setup& setup) {
  if (stage_of(id).kind == StageKind::rowwise) return id;
  for (TensorId next : consumers(id, setup)) {
    const StageKind kind = stage_of(next).kind;
    if (kind == StageKind::rowwise) return next;
    if (kind == StageKind::elementwise && std::ranges::equal(info(next).axis_list(), info(id).axis_list()))
      return row_of(next, setup);
  }
  return std::nullopt;
}

bool follows_softmax(TensorId id) {
  const Stage& stage = stage_of(id);
  return stage.kind == StageKind::rowwise ||
         std::ranges::any_of(stage.operands, [](const Operand& operand) { return follows_softmax(operand.tensor); });
}

std::optional<int> place_in_result(Axis axis, const TensorInfo& operand, const TensorInfo& result) {
  if (const auto place = result.place_of(axis)) return place;
  if (axis == Axis::kv_head) return result.place_of(Axis::head);
  // In self-attention keys and values are made from X, so the query positions of X are their key positions.
  if (axis == Axis::query && !operand.has(Axis::key)) return result.place_of(Axis::key);
  if (axis == Axis::position) return result.place_of(result.has(Axis::query) ? Axis::query : Axis::key);
  return std::nullopt;
}

Axis summed_axis(const Stage& product, const Setup& setup) {
  const TensorInfo& left = info(operand_at(product, Operand::Place::left, setup)->tensor);
  const auto axes = left.axis_list();
  return *std::ranges::find_if(axes, [&](Axis axis) { return !place_in_result(axis, left, info(product.result)); });
}

Shape index_in_operand(TensorId operand, const Cell& result, Index n, const Setup& setup) {
  const TensorInfo& about = info(operand);
  Shape index;
  for (Axis axis : about.axis_list()) {
    const auto place = place_in_result(axis, about, info(result.tensor));
    const Index own = place ? result.index[*place] : n;
    const bool shared = place && axis == Axis::kv_head && !info(result.tensor).has_kv_heads();
    index.push_back(shared ? setup.kv_head_of(own) : own);
  }
  return index;
}

}  // namespace headlight
