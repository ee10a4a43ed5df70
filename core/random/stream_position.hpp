// The state of a generator, in a few bytes.
#pragma once

#include <cstdint>
#include <optional>

namespace headlight {

/// Everything that decides the next numbers: the seed, how many words were given since, and what is kept for the next
/// call: the second number of a normal pair, or half a word.
struct StreamPosition {
  std::uint64_t seed = 0;
  std::uint64_t words = 0;
  std::optional<double> kept_normal;
  std::optional<std::uint32_t> kept_half;

  friend bool operator==(const StreamPosition&, const StreamPosition&) = default;
};

}  // namespace headlight
