#include "core/random/numpy_random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/compute/vectors.hpp"
#include "core/random/mersenne_twister.hpp"
#include "core/random/ziggurat_tables.hpp"

namespace headlight {
namespace {

/// How many numbers are made at a time: enough to keep vectors busy, few enough to stay in the first cache.
constexpr std::size_t chunk = 624;

/// Makes a number in [0, 1) from two words: the upper 27 bits of the first, then the upper 26 of the second.
HEADLIGHT_VECTORIZED void to_unit_interval(const std::uint32_t* words, double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t pair = word_pair(words + 2 * i);
    values[i] = scaled<-27>(pair >> 5 & 0x7FF'FFFF) + scaled<-53>(pair >> 38);
  }
}

/// Points inside the unit circle, each with its squared distance from the centre.
struct Points {
  std::array<double, chunk / 2> x, y, square;
  std::size_t count = 0;
};

/// Maps pairs of numbers in [0, 1) to the square around the circle.
HEADLIGHT_VECTORIZED void to_square(const double* values, Points& points) {
  for (std::size_t i = 0; i < points.count; ++i) {
    const double x = 2.0 * values[2 * i] - 1.0;
    const double y = 2.0 * values[2 * i + 1] - 1.0;
    points.x[i] = x;
    points.y[i] = y;
    points.square[i] = x * x + y * y;
  }
}

/// Moves the points inside the circle to the front, in order, and drops the others.
void keep_inside(Points& points) {
  std::size_t inside = 0;
  for (std::size_t i = 0; i < points.count; ++i) {
    points.x[inside] = points.x[i];
    points.y[inside] = points.y[i];
    points.square[inside] = points.square[i];
    if (points.square[i] < 1.0 && points.square[i] != 0.0) ++inside;
  }
  points.count = inside;
}

/// Each point gives two normal numbers, first from y and then from x, as in NumPy.
HEADLIGHT_VECTORIZED void to_normal(Points& points, double* values) {
  // Logarithms are calls, one at a time; without them the rest is computed in vectors.
  std::array<double, chunk / 2> logarithms;
  for (std::size_t i = 0; i < points.count; ++i) logarithms[i] = std::log(points.square[i]);
  for (std::size_t i = 0; i < points.count; ++i) {
    const double factor = std::sqrt(-2.0 * logarithms[i] / points.square[i]);
    values[2 * i] = factor * points.y[i];
    values[2 * i + 1] = factor * points.x[i];
  }
}

}  // namespace

void NumpyRandom::uniform(std::span<double> values) {
  std::array<std::uint32_t, 2 * chunk> words;
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), chunk));
    words_.fill(std::span(words).first(2 * part.size()));
    to_unit_interval(words.data(), part.data(), part.size());
    values = values.subspan(part.size());
  }
}

void NumpyRandom::normal(std::span<double> values) {
  if (kept_normal_ && !values.empty()) {
    values.front() = *kept_normal_;
    values = values.subspan(1);
    kept_normal_.reset();
  }
  std::array<double, chunk> numbers;
  Points points;
  // A pair of numbers needs at least one point, so trying one point per missing pair never draws more than NumPy.
  for (std::size_t missing = values.size() + values.size() % 2; missing > 0;) {
    points.count = std::min(missing, chunk) / 2;
    const auto tries = std::span(numbers).first(2 * points.count);
    uniform(tries);
    to_square(tries.data(), points);
    keep_inside(points);
    to_normal(points, numbers.data());
    const std::size_t made = 2 * points.count;
    const std::size_t taken = std::min(made, values.size());
    std::copy_n(numbers.begin(), taken, values.begin());
    if (taken < made) kept_normal_ = numbers[taken];
    values = values.subspan(taken);
    missing -= made;
  }
}

void NumpyRandom::integers(std::span<std::int64_t> values, std::uint32_t end) {
  if (end == 1) {  // nothing is drawn for a single choice
    std::ranges::fill(values, 0);
    return;
  }
  const std::uint32_t mask = ~0U >> std::countl_zero(end - 1);
  for (std::int64_t& value : values) {
    do value = words_.next() & mask;
    while (value >= end);
  }
}

void NumpyRng::uniform(std::span<double> values) {
  for (double& value : values) value = next_double();
}

void NumpyRng::normal(std::span<double> values) {
  for (double& value : values) value = next_normal();
}

double NumpyRng::next_normal() {
  while (true) {
    // One word gives the layer (8 bits), the sign (1) and the place in the layer (52).
    const std::uint64_t word = words_.next();
    const auto layer = static_cast<std::size_t>(word & 0xFF);
    const bool negative = (word >> 8 & 1) != 0;
    const std::uint64_t distance = word >> 9 & 0xF'FFFF'FFFF'FFFF;
    const double magnitude = static_cast<double>(distance) * ziggurat_width[layer];
    const double value = negative ? -magnitude : magnitude;
    if (distance < ziggurat_inside[layer]) return value;  // 99 of 100 times
    if (layer == 0) {
      // The tail takes its sign from another bit than the rest, as in NumPy.
      while (true) {
        const double beyond = -ziggurat_inverse_tail * std::log1p(-next_double());
        const double height = -std::log1p(-next_double());
        if (height + height > beyond * beyond)
          return (distance >> 8 & 1) != 0 ? -(ziggurat_tail + beyond) : ziggurat_tail + beyond;
      }
    }
    const double low = ziggurat_height[layer];
    if ((ziggurat_height[layer - 1] - low) * next_double() + low < std::exp(-0.5 * value * value)) return value;
  }
}

std::uint32_t NumpyRng::next_half() {
  if (kept_half_) {
    const std::uint32_t half = *kept_half_;
    kept_half_.reset();
    return half;
  }
  const std::uint64_t word = words_.next();
  kept_half_ = static_cast<std::uint32_t>(word >> 32);
  return static_cast<std::uint32_t>(word);
}

void NumpyRng::integers(std::span<std::int64_t> values, std::uint32_t end) {
  const auto fraction = [](std::uint64_t product) { return static_cast<std::uint32_t>(product); };
  for (std::int64_t& value : values) {
    if (end == 1) {  // nothing is drawn for a single choice
      value = 0;
      continue;
    }
    std::uint64_t product = std::uint64_t{next_half()} * end;
    if (fraction(product) < end) {
      const std::uint32_t least = (0U - end) % end;
      while (fraction(product) < least) product = std::uint64_t{next_half()} * end;
    }
    value = static_cast<std::int64_t>(product >> 32);
  }
}

}  // namespace headlight
