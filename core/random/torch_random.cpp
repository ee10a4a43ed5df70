#include "core/random/torch_random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/compute/fused.hpp"
#include "core/compute/vectors.hpp"
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
  for (std::size_t i = 0; i < count; ++i) values[i] = fused(values[i], range, from);
}

HEADLIGHT_VECTORIZED void stretch(double* values, std::size_t count, double from, double to) {
  const double range = to - from;
  for (std::size_t i = 0; i < count; ++i) values[i] = fused(values[i], range, from);
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

namespace {

constexpr std::size_t half = box_muller_block / 2;

/// A polynomial by Horner's scheme; each step is one fused multiply-add.
template <class... More>
HEADLIGHT_INLINED float polynomial(float x, float value, More... more) {
  ((value = fused(value, x, more)), ...);
  return value;
}

/// log(x) for normal positive x: x = 2^e · m with m in [√½, √2); a polynomial gives log m.
HEADLIGHT_INLINED float fast_log(float x) {
  constexpr std::int32_t root_of_half = std::bit_cast<std::int32_t>(0.707106781186547524F);
  const auto bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t e = (bits - root_of_half) >> 23;
  const auto exponent = static_cast<float>(e);
  const float r = std::bit_cast<float>(bits - (e << 23)) - 1.0F;
  const float square = r * r;
  float y = polynomial(r, 7.0376836292e-2F, -1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
                       -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F);
  y = y * r;
  y = fused(y, square, exponent * -2.12194440e-4F);
  y = fused(square, -0.5F, y);
  return fused(exponent, 0.693359375F, r + y);
}

struct SinCos {
  float sin, cos;
};

/// Sine and cosine of an angle from 0 up to a few turns. The nearest even multiple of π/4 is subtracted in three steps
/// for precision; two polynomials give sine and cosine of the rest, and the multiple decides which of them is which and
/// their signs.
HEADLIGHT_INLINED SinCos fast_sin_cos(float angle) {
  const std::int32_t octant = (static_cast<std::int32_t>(angle * 1.27323954473516F) + 1) & ~1;
  const auto turns = static_cast<float>(octant);
  float r = fused(turns, -0.78515625F, angle);
  r = fused(turns, -2.4187564849853515625e-4F, r);
  r = fused(turns, -3.77489497744594108e-8F, r);
  const float square = r * r;
  float c = polynomial(square, 2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F) * square;
  c = fused(c, square, square * -0.5F) + 1.0F;
  float s = polynomial(square, -1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F) * square;
  s = fused(s, r, r);
  const bool swapped = (octant & 2) != 0;
  const float sine = swapped ? c : s;
  const float cosine = swapped ? s : c;
  return {(octant & 4) != 0 ? -sine : sine, ((octant + 2) & 4) != 0 ? -cosine : cosine};
}

/// When the radius vanishes the product can be −0; adding zero makes it 0, as PyTorch's `· std + mean` does.
template <class T>
HEADLIGHT_INLINED T plus_zero(T value) {
  return value + T{0};
}

}  // namespace

HEADLIGHT_VECTORIZED void box_muller(float* values, std::size_t blocks) {
  constexpr auto two_pi = static_cast<float>(2.0 * std::numbers::pi);
  for (; blocks > 0; --blocks, values += box_muller_block) {
    // Two loops, one vector each: the compiler does not vectorise a single loop over both halves of the block.
    float radius[half];
    for (std::size_t i = 0; i < half; ++i) radius[i] = std::sqrt(-2.0F * fast_log(1.0F - values[i]));
    for (std::size_t i = 0; i < half; ++i) {
      const auto [sin, cos] = fast_sin_cos(two_pi * values[i + half]);
      values[i] = plus_zero(radius[i] * cos);
      values[i + half] = plus_zero(radius[i] * sin);
    }
  }
}

void box_muller(double* values, std::size_t blocks) {
  for (; blocks > 0; --blocks, values += box_muller_block) {
    for (std::size_t i = 0; i < half; ++i) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - values[i]));
      const double angle = 2.0 * std::numbers::pi * values[i + half];
      values[i] = plus_zero(radius * std::cos(angle));
      values[i + half] = plus_zero(radius * std::sin(angle));
    }
  }
}

}  // namespace headlight
