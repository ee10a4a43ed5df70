#include "app/session/walk.hpp"

#include <algorithm>
#include <cmath>

#include "core/explain/explain.hpp"

namespace headlight {

std::optional<Cell> upstream_of(const Trace& trace, const Cell& cell) {
  const Explanation explanation = explain(trace, cell);
  for (const SoftmaxEntry& entry : explanation.softmax_row) {
    if (entry.score.index == cell.index) return entry.score;
  }
  std::optional<Cell> source;
  double largest = -1;
  for (const Term& term : explanation.terms) {
    const double weight = std::isnan(term.value) ? 0 : std::abs(term.value);
    const auto link = std::ranges::find_if(term.factors, [](const Factor& factor) { return factor.cell.has_value(); });
    if (weight <= largest || link == term.factors.end()) continue;
    source = link->cell;
    largest = weight;
  }
  return source;
}

std::optional<Cell> downstream_of(const Trace& trace, const Cell& cell) {
  const Explanation explanation = explain(trace, cell);
  if (explanation.goes_into.empty()) return std::nullopt;
  return explanation.goes_into.front().first;
}

}  // namespace headlight
