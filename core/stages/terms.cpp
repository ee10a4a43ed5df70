#include "core/stages/terms.hpp"

namespace headlight {

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

Index kv_head_of(const Setup& setup, Index head) { return head / (setup.sizes.heads / setup.kv_heads()); }

std::string feature_label(Index n) {
  std::string label = "d";
  return label += std::to_string(n);
}

}  // namespace headlight
