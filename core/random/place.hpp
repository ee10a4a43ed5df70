// Where a generator stands.
#pragma once

#include <cstdint>
#include <optional>

namespace headlight {

/// Everything that its next numbers follow from, in a few bytes: how it was seeded, how many words it has given since,
/// and the half of a pair of normal numbers that it keeps for the next call.
struct Place {
  std::uint32_t seed = 0;
  std::uint64_t words = 0;
  std::optional<double> kept_normal;

  friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace headlight
