// Random words as numbers in [0, 1), in steps that vectorise whole: a conversion of integers would take the words
// apart.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "core/compute/vectors.hpp"

namespace headlight {

/// Two words that follow each other, the first in the low half.
HEADLIGHT_INLINED std::uint64_t word_pair(const std::uint32_t* words) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t pair = 0;
  std::memcpy(&pair, words, sizeof(pair));
  return pair;
}

/// n · 2^exponent for n below 2^52, exactly: n becomes the last digits of a number whose last digit counts 2^exponent.
template <int exponent>
HEADLIGHT_INLINED double scaled(std::uint64_t n) {
  constexpr std::uint64_t one_before = std::uint64_t{1023 + 52 + exponent} << 52;
  return std::bit_cast<double>(one_before | n) - std::bit_cast<double>(one_before);
}

}  // namespace headlight
