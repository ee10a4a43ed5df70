// MT19937: the generator underlying NumPy's RandomState and PyTorch's CPU generator.
// M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
// generator", ACM TOMACS 8(1), 1998; seeding as in their revision of 2002.
//
// std::mt19937 gives the same words, but one at a time: including its seeding it takes 1.5 times as long for 64 words,
// 2.5 times for 1024 and 17 times for 65536 (tests/benchmarks/kernels_benchmark.cpp).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/compute/vectors.hpp"

namespace headlight {

/// A value: a copy continues independently, and equal generators give equal numbers from then on.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed = 5489);

  /// The next word, uniform over 32 bits.
  std::uint32_t next() {
    if (used_ == state_.size()) advance();
    return temper(state_[used_++]);
  }
  /// Fills `words` with the next words, the same as from next() but faster.
  void fill(std::span<std::uint32_t> words);

  std::uint32_t seed() const { return seed_; }
  /// How many words it has given since it was seeded.
  std::uint64_t given() const { return blocks_ * state_.size() + used_ - state_.size(); }
  /// Moves the generator to where it is after `words` words from the given seed. Skipping a word costs a fraction
  /// of drawing a number; going back means starting at the seed.
  void go_to(std::uint32_t seed, std::uint64_t words);

  friend bool operator==(const MersenneTwister& a, const MersenneTwister& b) {
    return a.seed_ == b.seed_ && a.given() == b.given();
  }

 private:
  static std::uint32_t temper(std::uint32_t word) {
    word ^= word >> 11;
    word ^= (word << 7) & 0x9D2C5680U;
    word ^= (word << 15) & 0xEFC60000U;
    return word ^ (word >> 18);
  }
  /// Computes the next block of words.
  void advance();

  std::array<std::uint32_t, 624> state_;
  std::uint32_t seed_;
  std::uint64_t blocks_ = 0;  ///< how many the recurrence has made since the seed
  std::size_t used_;          ///< how many words of the current block have been given out
};

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
