// Which tensors a setup has, their shapes, and what they cost, known before anything is computed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// Extent of an axis under a (valid) setup.
Index extent(Axis axis, const Setup& setup);

/// Whether a trace of this setup holds the tensor: Y only in cross-attention, biases only where drawn, dropped_weights
/// only while dropout > 0.
bool exists(TensorId id, const Setup& setup);

/// Shape of a tensor in the index order of the names table (rows are queries).
Shape shape(TensorId id, const Setup& setup);

/// Whether the engine makes the tensor as a window on an earlier one: split heads, concat, scores that no mask hides.
bool is_window(TensorId id, const Setup& setup);

struct MemoryEstimate {
  std::int64_t total_bytes = 0;  ///< saturates instead of overflowing
  TensorId largest = TensorId::X;
  std::int64_t largest_bytes = 0;
};

/// Bytes that a trace holds. Windows on another tensor (split heads, concat, scores without a mask) count once.
MemoryEstimate estimate_memory(const Setup& setup);

constexpr std::int64_t default_memory_limit = std::int64_t{2} << 30;

/// Throws InputError naming the largest tensor and its size when the estimate is over the limit (bytes).
void require_fits(const Setup& setup, std::int64_t limit, const std::string& source = {});

/// "4.5 KiB", "2.0 GiB"
std::string format_bytes(std::int64_t bytes);

}  // namespace headlight
