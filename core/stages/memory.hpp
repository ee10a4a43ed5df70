// How much memory a trace takes, known before anything is computed.
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

/// The bytes that a trace holds, and those of given arrays that it cannot use as they are. Windows (split heads,
/// concat, scores without a mask) share another tensor's bytes and add none.
MemoryEstimate estimate_memory(const Setup& setup);

/// Throws InputError if the estimate is over the limit (in bytes); it names the largest tensor and its size.
void require_fits(const Setup& setup, std::int64_t limit, const std::string& source = {});

}  // namespace headlight
