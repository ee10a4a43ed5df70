#include "core/random/pcg64.hpp"

#include <array>

namespace headlight {
namespace {

using Pool = std::array<std::uint32_t, 4>;

/// A multiplicative hash whose constant changes with every use.
class Hash {
 public:
  Hash(std::uint32_t start, std::uint32_t factor) : constant_(start), factor_(factor) {}

  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= factor_;
    value *= constant_;
    return value ^ (value >> 16);
  }

 private:
  std::uint32_t constant_;
  std::uint32_t factor_;
};

std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t value = 0xCA01'F9DDU * a - 0x4973'F715U * b;
  return value ^ (value >> 16);
}

/// The pool of np.random.SeedSequence(seed), in which every bit of the seed has reached every word.
Pool pool_of(std::uint64_t seed) {
  Hash hash(0x43B0'D7E5U, 0x931E'8875U);
  Pool pool{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0};
  for (std::uint32_t& word : pool) word = hash(word);
  for (std::size_t from = 0; from < pool.size(); ++from)
    for (std::size_t to = 0; to < pool.size(); ++to)
      if (from != to) pool[to] = mixed(pool[to], hash(pool[from]));
  return pool;
}

/// SeedSequence.generate_state(4, np.uint64)
std::array<std::uint64_t, 4> seed_words(std::uint64_t seed) {
  const Pool pool = pool_of(seed);
  Hash hash(0x8B51'F9DDU, 0x58F3'8DEDU);
  std::array<std::uint64_t, 4> words{};
  for (std::size_t i = 0; i < 2 * words.size(); ++i)
    words[i / 2] |= std::uint64_t{hash(pool[i % pool.size()])} << (i % 2 * 32);
  return words;
}

}  // namespace

Pcg64::Pcg64(std::uint64_t seed) : seed_(seed) {
  const std::array<std::uint64_t, 4> words = seed_words(seed);
  const Wide start = Wide{words[0]} << 64 | words[1];
  increment_ = (Wide{words[2]} << 64 | words[3]) << 1 | 1;
  state_ = (increment_ + start) * multiplier + increment_;
}

void Pcg64::go_to(std::uint64_t seed, std::uint64_t words) {
  if (seed != seed_ || words < given_) *this = Pcg64(seed);
  // One step is state · a + c; two of them are state · a² + (a + 1) · c, and so on by doubling.
  Wide factor = multiplier;
  Wide addend = increment_;
  for (std::uint64_t left = words - given_; left > 0; left >>= 1) {
    if ((left & 1) != 0) state_ = state_ * factor + addend;
    addend *= factor + 1;
    factor *= factor;
  }
  given_ = words;
}

}  // namespace headlight
