#include "core/stages/terms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

/// The label of the n-th summand: the key's token if the sum runs over keys, else the feature, "d0".
std::string summand_label(Axis summed, Index n, const Setup& setup) {
  return summed == Axis::key ? setup.key_label(n) : fmt::format("d{}", n);
}

}  // namespace

std::string letter(Axis axis, Axis summed, const TensorInfo& result, const Setup& setup) {
  const bool meets_queries = result.has(Axis::query);
  switch (axis) {
    case Axis::batch: return "b";
    case Axis::head: return "h";
    case Axis::kv_head: return setup.kv_heads() == setup.sizes.heads ? "h" : "h // (heads/kv_heads)";
    case Axis::query:
    case Axis::position: return "i";
    case Axis::key: return meets_queries ? "j" : "i";
    case Axis::d_head: return "d";
    default: return axis == summed ? "n" : "c";
  }
}

std::string indexed(TensorId id, Axis summed, const TensorInfo& result, const Setup& setup) {
  std::vector<std::string> letters;
  for (Axis axis : info(id).axis_list()) letters.push_back(letter(axis, summed, result, setup));
  return fmt::format("{}[{}]", name(id), fmt::join(letters, ","));
}

Factor factor(const Trace& trace, TensorId tensor, const Shape& index) {
  const Cell cell{tensor, index};
  return {{}, trace.value(cell), cell};
}

Factor constant(std::string label, double value) { return {std::move(label), value, std::nullopt}; }

Term term(std::string label, std::vector<Factor> factors) {
  double product = 1;
  for (const Factor& each : factors) product *= each.value;
  return {std::move(label), product, std::move(factors)};
}

Explanation explanation_of(const Trace& trace, const Cell& cell) {
  Explanation explanation;
  explanation.cell = cell;
  explanation.value = trace.value(cell);
  return explanation;
}

Explanation explain_product(const Trace& trace, const Cell& cell) {
  const Setup& setup = trace.setup;
  const Stage& stage = stage_of(cell.tensor);
  const TensorId left = operand_at(stage, Operand::Slot::left, setup)->tensor;
  const TensorId right = operand_at(stage, Operand::Slot::right, setup)->tensor;
  const auto added = operand_at(stage, Operand::Slot::added, setup);
  const Axis summed = summed_axis(stage, setup);
  const Index length = extent(summed, setup);

  Explanation explanation = explanation_of(trace, cell);
  explanation.terms.reserve(static_cast<std::size_t>(length) + 1);
  for (Index n = 0; n < length; ++n) {
    std::vector<Factor> factors;
    factors.reserve(2);
    factors.push_back(factor(trace, left, index_in_operand(left, cell, n, setup)));
    factors.push_back(factor(trace, right, index_in_operand(right, cell, n, setup)));
    explanation.terms.push_back(term(summand_label(summed, n, setup), std::move(factors)));
  }
  const TensorInfo& result = info(cell.tensor);
  const auto word = [&](TensorId id) { return indexed(id, summed, result, setup); };
  explanation.formula = fmt::format("{} = Σ_{} {} · {}", word(cell.tensor), letter(summed, summed, result, setup),
                                    word(left), word(right));
  if (added) {
    explanation.terms.push_back(
        term("bias", {factor(trace, added->tensor, index_in_operand(added->tensor, cell, 0, setup))}));
    explanation.formula += " + " + word(added->tensor);
  }
  return explanation;
}

}  // namespace headlight
