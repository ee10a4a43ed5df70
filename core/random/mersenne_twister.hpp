// MT19937: the generator below NumPy's RandomState and PyTorch's CPU generator.
// M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
// generator", ACM TOMACS 8(1), 1998; seeding as in their revision of 2002.
//
// std::mt19937 gives the same words, one at a time: with its seeding it takes 1.5 times as long for 64 words, 2.5 times
// for 1024 and 17 times for 65536 (tests/benchmarks/kernels_benchmark.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headlight {

/// A value: copies continue independently, and equal ones give equal numbers from there on.
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

  std::uint32_t seed() const { return seed_; }
  /// Words since the seed.
  std::uint64_t given() const { return blocks_ * state_.size() + used_ - state_.size(); }
  /// To where it stands when it is seeded so and has given so many words. Words on the way cost a fraction of a drawn
  /// number each; the way back starts at the seed.
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
  /// The next block of the recurrence.
  void advance();

  std::array<std::uint32_t, 624> state_;
  std::uint32_t seed_;
  std::uint64_t blocks_ = 0;  ///< that the recurrence has made since the seed
  std::size_t used_;          ///< words of the block that have been given out
};

}  // namespace headlight
