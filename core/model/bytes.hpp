// Amounts of memory in words, and the default memory limit of a trace.
#pragma once

#include <cstdint>
#include <string>

namespace headlight {

constexpr std::int64_t default_memory_limit = std::int64_t{2} << 30;

/// A number of bytes as text: "4.5 KiB", "2.0 GiB"
std::string format_bytes(std::int64_t bytes);

}  // namespace headlight
