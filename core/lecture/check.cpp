#include "core/lecture/check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/engine/engine.hpp"

namespace headlight {
namespace {

/// The block of a tensor that a fact prints, oriented as in the document: with token_axis "columns" the notebook shows
/// (features, positions), otherwise (positions, features).
Tensor printed_block(const Trace& trace, const Fact& fact) {
  Tensor block = trace[fact.tensor];
  for (Index position : fact.at) block = block.selected(0, position);
  const bool turned = trace.setup.attention.token_axis == TokenAxis::columns && info(fact.tensor).has_batch();
  if (turned && block.shape().rank() >= 2) block = block.transposed(block.shape().rank() - 2, block.shape().rank() - 1);
  return block.contiguous();
}

/// The name of the tensor, "output", or "weights[0, 1]" if only a block of it was printed.
std::string printed_name(const Fact& fact) {
  if (fact.at.rank() == 0) return std::string(name(fact.tensor));
  return fmt::format("{}[{}]", name(fact.tensor), fmt::join(fact.at.begin(), fact.at.end(), ", "));
}

/// Whether rounding `value` to the printed decimals gives the printed digits. Allows half a unit of the last decimal,
/// plus the rounding error of writing that decimal in binary.
bool prints_as(double value, double printed, int decimals) {
  const double half = 0.5 * std::pow(10.0, -decimals);
  return std::abs(value - printed) <= half * (1 + 1e-9) + std::abs(printed) * 1e-15;
}

FactResult check_shape(const Trace& trace, const Fact& fact, FactResult result) {
  const Shape& found = trace[fact.tensor].shape();
  result.what = fmt::format("{} has shape {}", name(fact.tensor), fact.printed_shape->to_string());
  result.detail = found.to_string();
  if (found != *fact.printed_shape) result.verdict = FactResult::Verdict::differs;
  return result;
}

FactResult check_values(const Trace& trace, const Fact& fact, FactResult result) {
  const Tensor block = printed_block(trace, fact);
  std::size_t wrong = 0;
  double largest = 0;
  with_element_type(block.precision(), [&](auto zero) {
    const auto* values = block.data<decltype(zero)>();
    for (std::size_t i = 0; i < fact.values.size(); ++i) {
      const auto value = static_cast<double>(values[i]);
      largest = std::max(largest, std::abs(value - fact.values[i]));
      if (!prints_as(value, fact.values[i], fact.decimals)) ++wrong;
    }
  });
  result.largest_difference = largest;
  result.values = static_cast<Index>(fact.values.size());
  if (wrong > 0) {
    result.verdict = FactResult::Verdict::differs;
    result.detail = fmt::format("{} of {} values differ", wrong, fact.values.size());
  }
  return result;
}

FactResult check_fact(const Trace& trace, const Part& part, const Fact& fact) {
  FactResult result;
  result.part = part.id;
  result.tensor = fact.tensor;
  result.origin = fact.origin;
  if (!fact.not_reproducible.empty()) {
    result.what = fmt::format("{}, {} printed values", printed_name(fact), fact.values.size());
    result.verdict = FactResult::Verdict::not_reproducible;
    result.detail = fact.not_reproducible;
    return result;
  }
  if (!trace.has(fact.tensor)) {
    result.what = std::string(name(fact.tensor));
    result.verdict = FactResult::Verdict::differs;
    result.detail = "the setup has no such tensor";
    return result;
  }
  if (fact.is_shape()) return check_shape(trace, fact, std::move(result));
  result.what = fmt::format("{}, {} values to {} decimals", printed_name(fact), fact.values.size(), fact.decimals);
  return check_values(trace, fact, std::move(result));
}

}  // namespace

std::vector<FactResult> check(const Lecture& lecture, const std::stop_token& stop,
                              const std::shared_ptr<Threads>& threads) {
  std::vector<FactResult> results;
  for (const Part& part : lecture.parts) {
    const auto trace = Engine(default_memory_limit, threads).compute(part.setup, {stop, {}});
    for (const Fact& fact : part.facts) results.push_back(check_fact(*trace, part, fact));
  }
  return results;
}

}  // namespace headlight
