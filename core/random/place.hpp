// The state of a generator, in a few bytes.
#pragma once

#include <cstdint>
#include <optional>

namespace headlight {

/// Everything that decides the next numbers: the seed, how many words were given since, and the second number of a
/// normal pair if it is kept for the next call.
struct Place {
  std::uint32_t seed = 0;
  std::uint64_t words = 0;
  std::optional<double> kept_normal;

  friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace headlight
