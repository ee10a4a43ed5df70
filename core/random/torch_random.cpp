#include "core/random/torch_random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/compute/vectors.hpp"
#include "core/random/box_muller.hpp"
#include "core/random/mersenne_twister.hpp"

namespace headlight {
namespace {

/// How many numbers are made at a time: enough to keep vectors busy, few enough to stay in the first cache. It is a
/// multiple of 16, PyTorch's block of normal numbers.
constexpr std::size_t chunk = 624;
constexpr std::size_t block = box_muller_block;
static_assert(chunk % block == 0);

/// Makes a float in [0, 1) from the low 24 bits of each word.
HEADLIGHT_VECTORIZED void to_unit_interval(const std::uint32_t* words, float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(static_cast<std::int32_t>(words[i] & 0xFF'FFFFU)) * 0x1p-24F;
}

/// Makes a double in [0, 1) from the low 53 bits of two words; the first word is the upper half.
HEADLIGHT_VECTORIZED void to_unit_interval(const std::uint32_t* words, double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t pair = word_pair(words + 2 * i);
    values[i] = scaled<-21>(pair & 0x1F'FFFF) + scaled<-53>(pair >> 32);
  }
}

HEADLIGHT_VECTORIZED void stretch(float* values, std::size_t count, float from, float to) {
  const float range = to - from;
  for (std::size_t i = 0; i < count; ++i) values[i] = std::fma(values[i], range, from);
}

HEADLIGHT_VECTORIZED void stretch(double* values, std::size_t count, double from, double to) {
  const double range = to - from;
  for (std::size_t i = 0; i < count; ++i) values[i] = std::fma(values[i], range, from);
}

/// Fills `values` with numbers from [0, 1), and passes each chunk to `finish` while it is still in the cache.
template <class T, class Finish>
void fill_chunks(MersenneTwister& words, std::span<T> values, Finish&& finish) {
  constexpr std::size_t words_each = sizeof(T) / sizeof(std::uint32_t);
  std::array<std::uint32_t, words_each * chunk> buffer;
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), chunk));
    words.fill(std::span(buffer).first(words_each * part.size()));
    to_unit_interval(buffer.data(), part.data(), part.size());
    finish(part);
    values = values.subspan(part.size());
  }
}

template <class T>
void fill_uniform(MersenneTwister& words, std::span<T> values, T from, T to) {
  fill_chunks(words, values, [&](std::span<T> part) {
    if (from != 0 || to != 1) stretch(part.data(), part.size(), from, to);
  });
}

template <class T>
void fill_normal_blocks(MersenneTwister& words, std::span<T> values) {
  const auto finish = [](std::span<T> part) { box_muller(part.data(), part.size() / block); };
  fill_chunks(words, values, finish);
  if (values.size() % block != 0) fill_chunks(words, values.last(block), finish);
}

}  // namespace

void TorchRandom::uniform(std::span<float> values, double from, double to) {
  fill_uniform(words_, values, static_cast<float>(from), static_cast<float>(to));
}

void TorchRandom::uniform(std::span<double> values, double from, double to) { fill_uniform(words_, values, from, to); }

void TorchRandom::normal(std::span<float> values) {
  if (values.size() >= block) return fill_normal_blocks(words_, values);
  for (float& value : values) value = static_cast<float>(next_normal());
}

void TorchRandom::normal(std::span<double> values) {
  if (values.size() >= block) return fill_normal_blocks(words_, values);
  for (double& value : values) value = next_normal();
}

double TorchRandom::next_normal() {
  if (kept_normal_) {
    const double kept = *kept_normal_;
    kept_normal_.reset();
    return kept;
  }
  std::array<double, 2> numbers;
  uniform(numbers);
  // As in PyTorch 1.13. Versions that write log1p(-u) differ in the last bit of one number in thirty.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - numbers[1]));
  const double angle = 2.0 * std::numbers::pi * numbers[0];
  kept_normal_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

void TorchRandom::bernoulli(std::span<unsigned char> decisions, double probability) {
  std::array<double, chunk> numbers;
  while (!decisions.empty()) {
    const auto part = std::span(numbers).first(std::min(chunk, decisions.size()));
    uniform(part);
    std::transform(part.begin(), part.end(), decisions.begin(),
                   [&](double number) { return static_cast<unsigned char>(number < probability); });
    decisions = decisions.subspan(part.size());
  }
}

}  // namespace headlight
