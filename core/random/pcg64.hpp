// PCG64: the generator underlying NumPy's default_rng, with NumPy's way to seed it.
// M. E. O'Neill, "PCG: A family of simple fast space-efficient statistically good algorithms for random number
// generation", Harvey Mudd College, 2014: the variant XSL-RR 128/64. The seed's bits are spread by NumPy's
// SeedSequence, which follows M. E. O'Neill, "Developing a seed_seq alternative", 2015.
#pragma once

#include <bit>
#include <cstdint>

namespace headlight {

/// A value: a copy continues independently, and equal generators give equal numbers from then on.
class Pcg64 {
 public:
  /// np.random.PCG64(seed)
  explicit Pcg64(std::uint64_t seed = 0);

  /// The next word, uniform over 64 bits.
  std::uint64_t next() {
    state_ = state_ * multiplier + increment_;
    ++given_;
    const auto high = static_cast<std::uint64_t>(state_ >> 64);
    const auto low = static_cast<std::uint64_t>(state_);
    return std::rotr(high ^ low, static_cast<int>(high >> 58));
  }

  std::uint64_t seed() const { return seed_; }
  /// How many words it has given since it was seeded.
  std::uint64_t given() const { return given_; }
  /// Moves the generator to where it is after `words` words from the given seed, in about 64 steps at most.
  void go_to(std::uint64_t seed, std::uint64_t words);

  friend bool operator==(const Pcg64& a, const Pcg64& b) { return a.seed_ == b.seed_ && a.given_ == b.given_; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide multiplier = Wide{0x2360'ED05'1FC6'5DA4} << 64 | 0x4385'DF64'9FCC'F645;

  std::uint64_t seed_;
  std::uint64_t given_ = 0;
  Wide state_ = 0;
  Wide increment_ = 0;
};

}  // namespace headlight
