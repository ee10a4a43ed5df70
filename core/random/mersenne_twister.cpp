#include "core/random/mersenne_twister.hpp"

#include <algorithm>

#include "core/compute/vectors.hpp"

namespace headlight {
namespace {

constexpr std::size_t length = 624;
constexpr std::size_t middle = 397;

/// One step of the recurrence. It uses a mask where others look up a table of two, because a mask can be vectorised.
HEADLIGHT_INLINED std::uint32_t recur(std::uint32_t word, std::uint32_t next, std::uint32_t far) {
  const std::uint32_t joined = (word & 0x8000'0000U) | (next & 0x7FFF'FFFFU);
  return far ^ (joined >> 1) ^ (0x9908'B0DFU & (0U - (joined & 1U)));
}

/// Replaces all words of the state. A new word needs the old word, the next one and the word 397 places further; past
/// the end that is a new word, made 227 steps before. No step needs a result of the last few steps, so both loops are
/// vectorised.
HEADLIGHT_VECTORIZED void twist(std::uint32_t* state) {
  for (std::size_t i = 0; i < length - middle; ++i) state[i] = recur(state[i], state[i + 1], state[i + middle]);
  for (std::size_t i = length - middle; i < length - 1; ++i)
    state[i] = recur(state[i], state[i + 1], state[i + middle - length]);
  state[length - 1] = recur(state[length - 1], state[0], state[middle - 1]);
}

}  // namespace

MersenneTwister::MersenneTwister(std::uint32_t seed) : seed_(seed), used_(length) {
  for (std::size_t i = 0; i < length; ++i) {
    state_[i] = seed;
    seed = 1812433253U * (seed ^ (seed >> 30)) + static_cast<std::uint32_t>(i) + 1;
  }
}

void MersenneTwister::advance() {
  twist(state_.data());
  ++blocks_;
  used_ = 0;
}

void MersenneTwister::go_to(std::uint32_t seed, std::uint64_t words) {
  if (seed != seed_ || words < given()) *this = MersenneTwister(seed);
  while (blocks_ * length < words) advance();
  used_ = static_cast<std::size_t>(words + length - blocks_ * length);
}

HEADLIGHT_VECTORIZED void MersenneTwister::fill(std::span<std::uint32_t> words) {
  std::uint32_t* to = words.data();
  for (std::size_t left = words.size(); left > 0;) {
    if (used_ == length) advance();
    const std::size_t count = std::min(left, length - used_);
    const std::uint32_t* from = state_.data() + used_;
    for (std::size_t i = 0; i < count; ++i) to[i] = temper(from[i]);
    used_ += count;
    to += count;
    left -= count;
  }
}

}  // namespace headlight
