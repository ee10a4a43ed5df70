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

/// The block of the cells in which the other feature of a pair stands in the same row.
GoesInto for_partner(GoesInto block, const Setup& setup) {
  Index& feature = block.first.index[block.first.index.rank() - 1];
  feature = partner(feature, setup);
  return block;
}

/// The cells of a tensor that are computed from this cell. Gradients flow from a stage's result to its operands.
std::optional<GoesInto> goes_into(const Cell& cell, TensorId next, const Setup& setup) {
  if (!is_gradient(next)) return cells_made_with(cell, stage_of(next), setup);
  GoesInto block = cells_made_of({gradient_of(cell.tensor), cell.index}, gradient_of(next), setup);
  block.first.tensor = next;
  return block;
}

}  // namespace

Explanation explain(const Trace& trace, const Cell& cell) {
  if (!contains(trace.setup, cell)) parse_cell(to_string(cell), trace.setup);  // throws and says what is allowed
  Explanation explanation = stage_of(cell.tensor).explain(trace, cell);
  explanation.numbers = with_numbers(explanation);
  for (TensorId next : consumers(cell.tensor, trace.setup)) {
    const auto block = goes_into(cell, next, trace.setup);
    if (!block) continue;
    explanation.goes_into.push_back(*block);
    const TensorId made = is_gradient(next) ? gradient_of(cell.tensor) : next;
    if (stage_of(made).kind == StageKind::rotation) explanation.goes_into.push_back(for_partner(*block, trace.setup));
  }
  for (GoesInto& block : explanation.goes_into) block.label = label_of(block, trace.setup);
  return explanation;
}

}  // namespace headlight
