// MT19937: the generator below NumPy's RandomState and PyTorch's CPU generator.
// M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
// generator", ACM TOMACS 8(1), 1998; seeding as in their revision of 2002.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headlight {

/// A value: copies continue independently, and equal states give equal numbers from there on.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed = 5489);

  /// The next word, uniform over 32 bits.
  std::uint32_t next() {
    if (used_ == state_.size()) advance();
    return temper(state_[used_++]);
  }
  /// The next words, as many calls of next() would give them, but faster.
  void fill(std::span<std::uint32_t> words);

  /// States that differ mostly differ in how much of the block is used: look there first.
  friend bool operator==(const MersenneTwister& a, const MersenneTwister& b) {
    return a.used_ == b.used_ && a.state_ == b.state_;
  }

 private:
  static std::uint32_t temper(std::uint32_t word) {
    word ^= word >> 11;
    word ^= (word << 7) & 0x9D2C5680U;
    word ^= (word << 15) & 0xEFC60000U;
    return word ^ (word >> 18);
  }
  /// The next block of the recurrence.
  void advance();

  std::array<std::uint32_t, 624> state_;
  std::size_t used_;  ///< words of the block that have been given out
};

}  // namespace headlight
