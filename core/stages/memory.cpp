#include "core/stages/memory.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/model/bytes.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

constexpr std::int64_t saturated = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? saturated : sum;
}

std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? saturated : product;
}

/// More bytes than a trace can hold, whatever the setup says besides its sizes: known at once, for every edit asks.
double most_bytes(const Setup& setup) {
  const auto longest =
      static_cast<double>(std::max({setup.sizes.query_length, setup.key_length(), setup.sizes.d_model}));
  const double wide = longest * static_cast<double>(setup.sizes.heads);  // a row of all heads
  const auto answers = static_cast<double>(answers_of(setup.task.name) * setup.task.symbols);
  const double largest = static_cast<double>(setup.sizes.batch) * longest * std::max(wide, answers);
  return static_cast<double>(tensor_count) * largest * static_cast<double>(sizeof(double));
}

}  // namespace

MemoryEstimate estimate_memory(const Setup& setup) {
  MemoryEstimate estimate;
  const auto element = static_cast<std::int64_t>(bytes_per_element(setup.attention.precision));
  for (const Stage& stage : stages_for(setup)) {
    if (!exists(stage.result, setup) || is_window(stage.result, setup)) continue;
    const std::int64_t bytes = saturating_multiply(shape(stage.result, setup).elements(), element);
    estimate.total_bytes = saturating_add(estimate.total_bytes, bytes);
    if (bytes > estimate.largest_bytes) {
      estimate.largest = stage.result;
      estimate.largest_bytes = bytes;
    }
  }
  for (const GivenValue& value : setup.values.entries()) {
    const Tensor& numbers = value.numbers.tensor();
    if (is_used_as_given(setup.values, value.tensor, setup.attention.precision, shape(value.tensor, setup))) continue;
    estimate.total_bytes = saturating_add(
        estimate.total_bytes, numbers.elements() * static_cast<std::int64_t>(bytes_per_element(numbers.precision())));
  }
  return estimate;
}

void require_fits(const Setup& setup, std::int64_t limit, const std::string& source) {
  if (setup.values.empty() && most_bytes(setup) <= static_cast<double>(limit)) return;
  const MemoryEstimate estimate = estimate_memory(setup);
  if (estimate.total_bytes <= limit) return;
  const Shape largest = shape(estimate.largest, setup);
  throw InputError(
      {source, "sizes",
       fmt::format("a trace of {}; its largest tensor is {} {} with {}", format_bytes(estimate.total_bytes),
                   name(estimate.largest), largest.to_string(), format_bytes(estimate.largest_bytes)),
       fmt::format("up to {}", format_bytes(limit))});
}

}  // namespace headlight
