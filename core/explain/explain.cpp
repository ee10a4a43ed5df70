#include "core/explain/explain.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

/// A long sum is written with this many terms at the front, then the last one.
constexpr std::size_t shown_terms = 4;

std::string number(double value) {
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  return value < 0 ? fmt::format("({:.6g})", value) : fmt::format("{:.6g}", value);
}

std::string with_numbers(const Term& term) {
  std::string text;
  for (const Factor& factor : term.factors) text += (text.empty() ? "" : " · ") + number(factor.value);
  return text;
}

std::string with_numbers(const Explanation& explanation) {
  std::string text;
  const auto& terms = explanation.terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool skipped = i >= shown_terms && i + 1 < terms.size();
    if (skipped && i > shown_terms) continue;
    text += (text.empty() ? "" : " + ") + (skipped ? std::string("…") : with_numbers(terms[i]));
  }
  return fmt::format("{} = {}", text, number(explanation.value));
}

/// The block as text: "dot_products[0,1,2,:]"
std::string label_of(const GoesInto& block, const Setup& setup) {
  const Shape extents = shape(block.first.tensor, setup);
  std::vector<std::string> parts;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    const Index first = block.first.index[axis], count = block.counts[axis];
    const bool all = count == extents[axis] && count > 1;
    parts.push_back(all ? ":" : count == 1 ? fmt::format("{}", first) : fmt::format("{}:{}", first, first + count));
  }
  return fmt::format("{}[{}]", name(block.first.tensor), fmt::join(parts, ","));
}

/// Where the number of a cell stands in the tensor that splits or joins its heads.
Shape place_behind_window(const Cell& cell, const Setup& setup) {
  const Shape& i = cell.index;
  const Index width = setup.d_head();
  if (info(cell.tensor).has_heads()) return {i[0], i[2], i[1] * width + i[3]};
  return {i[0], i[2] / width, i[1], i[2] % width};
}

/// The block of the cells in which the other feature of a pair stands in the same row.
GoesInto for_partner(GoesInto block, const Setup& setup) {
  Index& feature = block.first.index[block.first.index.rank() - 1];
  feature = partner(feature, setup);
  return block;
}

/// The cells of the stage's result that use this cell: on every axis that both tensors have, the same place; on the
/// other axes, all places.
GoesInto cells_made_with(const Cell& cell, const Stage& stage, const Setup& setup) {
  const Shape extents = shape(stage.result, setup);
  GoesInto block{{stage.result, extents}, extents, {}};
  for (int axis = 0; axis < extents.rank(); ++axis) block.first.index[axis] = 0;
  const auto narrow = [&](int axis, Index first, Index count) {
    block.first.index[axis] = first;
    block.counts[axis] = count;
  };
  if (stage.kind == StageKind::window) {
    const Shape place = place_behind_window(cell, setup);
    for (int axis = 0; axis < extents.rank(); ++axis) narrow(axis, place[axis], 1);
    return block;
  }
  const TensorInfo& operand = info(cell.tensor);
  const TensorInfo& result = info(stage.result);
  for (int axis = 0; axis < operand.rank; ++axis) {
    const Axis own = operand.axes[static_cast<std::size_t>(axis)];
    const auto place = place_in_result(own, operand, result);
    if (!place || (stage.kind == StageKind::rowwise && *place + 1 == result.rank)) continue;
    const Index sharing = own == Axis::kv_head && !result.has_kv_heads() ? setup.sizes.heads / setup.kv_heads() : 1;
    narrow(*place, cell.index[axis] * sharing, sharing);
  }
  return block;
}

}  // namespace

Explanation explain(const Trace& trace, const Cell& cell) {
  if (!contains(trace.setup, cell)) parse_cell(to_string(cell), trace.setup);  // throws and says what is allowed
  Explanation explanation = stage_of(cell.tensor).explain(trace, cell);
  explanation.numbers = with_numbers(explanation);
  for (TensorId next : consumers(cell.tensor, trace.setup)) {
    const GoesInto block = cells_made_with(cell, stage_of(next), trace.setup);
    // A position that only the longer of queries and keys has is read by that one alone.
    if (!contains(trace.setup, block.first)) continue;
    explanation.goes_into.push_back(block);
    if (stage_of(next).kind == StageKind::rotation) explanation.goes_into.push_back(for_partner(block, trace.setup));
  }
  for (GoesInto& block : explanation.goes_into) block.label = label_of(block, trace.setup);
  return explanation;
}

}  // namespace headlight
