// What a trace takes in memory, known before anything is computed.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/bytes.hpp"
#include "core/model/setup.hpp"

namespace headlight {

struct MemoryEstimate {
  std::int64_t total_bytes = 0;  ///< saturates instead of overflowing
  TensorId largest = TensorId::X;
  std::int64_t largest_bytes = 0;
};

/// Bytes that a trace holds. Windows on another tensor (split heads, concat, scores without a mask) count once.
MemoryEstimate estimate_memory(const Setup& setup);

/// Throws InputError naming the largest tensor and its size when the estimate is over the limit (bytes).
void require_fits(const Setup& setup, std::int64_t limit, const std::string& source = {});

}  // namespace headlight
