// Turns random words into numbers in [0, 1) with steps that are vectorised; a conversion from integers would not be.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "core/compute/vectors.hpp"

namespace headlight {

/// Two neighbouring words as one number; the first word is its low half.
HEADLIGHT_INLINED std::uint64_t word_pair(const std::uint32_t* words) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t pair = 0;
  std::memcpy(&pair, words, sizeof(pair));
  return pair;
}

/// n · 2^exponent for n below 2^52, exactly. The bits of n are set as the last digits of a double whose last digit
/// counts 2^exponent, and then the rest of that double is subtracted.
template <int exponent>
HEADLIGHT_INLINED double scaled(std::uint64_t n) {
  constexpr std::uint64_t one_before = std::uint64_t{1023 + 52 + exponent} << 52;
  return std::bit_cast<double>(one_before | n) - std::bit_cast<double>(one_before);
}

}  // namespace headlight
