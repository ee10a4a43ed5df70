#include "core/random/box_muller.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/compute/vectors.hpp"

namespace headlight {
namespace {

constexpr std::size_t half = box_muller_block / 2;

/// A polynomial by Horner's scheme; each step is one fused multiply-add.
template <class... More>
HEADLIGHT_INLINED float polynomial(float x, float value, More... more) {
  ((value = std::fma(value, x, more)), ...);
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
  y = std::fma(y, square, exponent * -2.12194440e-4F);
  y = std::fma(square, -0.5F, y);
  return std::fma(exponent, 0.693359375F, r + y);
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
  float r = std::fma(turns, -0.78515625F, angle);
  r = std::fma(turns, -2.4187564849853515625e-4F, r);
  r = std::fma(turns, -3.77489497744594108e-8F, r);
  const float square = r * r;
  float c = polynomial(square, 2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F) * square;
  c = std::fma(c, square, square * -0.5F) + 1.0F;
  float s = polynomial(square, -1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F) * square;
  s = std::fma(s, r, r);
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
