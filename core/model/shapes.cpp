#include "core/model/shapes.hpp"

#include <limits>

#include <fmt/format.h>

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

}  // namespace

Index extent(Axis axis, const Setup& setup) {
  switch (axis) {
    case Axis::batch: return setup.sizes.batch;
    case Axis::head: return setup.sizes.heads;
    case Axis::kv_head: return setup.kv_heads();
    case Axis::query: return setup.sizes.query_length;
    case Axis::key: return setup.key_length();
    case Axis::d_model: return setup.sizes.d_model;
    case Axis::d_head: return setup.d_head();
    case Axis::head_columns: return setup.sizes.d_model;
    case Axis::kv_columns: return setup.kv_heads() * setup.d_head();
  }
  return 0;
}

bool exists(TensorId id, const Setup& setup) {
  switch (id) {
    case TensorId::Y: return setup.is_cross();
    case TensorId::b_q:
    case TensorId::b_k:
    case TensorId::b_v:
    case TensorId::b_o: return setup.draws(id);
    case TensorId::dropped_weights: return setup.attention.dropout > 0;
    default: return true;
  }
}

Shape shape(TensorId id, const Setup& setup) {
  Shape result;
  for (Axis axis : info(id).axis_list()) result.push_back(extent(axis, setup));
  return result;
}

bool is_window(TensorId id, const Setup& setup) {
  switch (id) {
    case TensorId::Q_heads:
    case TensorId::K_heads:
    case TensorId::V_heads:
    case TensorId::concat: return true;
    case TensorId::masked_scores: return setup.mask.kinds.empty();
    default: return false;
  }
}

MemoryEstimate estimate_memory(const Setup& setup) {
  MemoryEstimate estimate;
  const auto element = static_cast<std::int64_t>(bytes_per_element(setup.attention.precision));
  for (const TensorInfo& tensor : all_tensors()) {
    if (!exists(tensor.id, setup) || is_window(tensor.id, setup)) continue;
    const std::int64_t bytes = saturating_multiply(shape(tensor.id, setup).elements(), element);
    estimate.total_bytes = saturating_add(estimate.total_bytes, bytes);
    if (bytes > estimate.largest_bytes) {
      estimate.largest = tensor.id;
      estimate.largest_bytes = bytes;
    }
  }
  return estimate;
}

void require_fits(const Setup& setup, std::int64_t limit, const std::string& source) {
  const MemoryEstimate estimate = estimate_memory(setup);
  if (estimate.total_bytes <= limit) return;
  const Shape largest = shape(estimate.largest, setup);
  throw InputError(
      {source, "sizes",
       fmt::format("a trace of {}; its largest tensor is {} {} with {}", format_bytes(estimate.total_bytes),
                   name(estimate.largest), largest.to_string(), format_bytes(estimate.largest_bytes)),
       fmt::format("up to {}", format_bytes(limit))});
}

std::string format_bytes(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace headlight
