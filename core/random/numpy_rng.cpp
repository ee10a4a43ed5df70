#include "core/random/numpy_rng.hpp"

#include <cmath>

#include "core/random/ziggurat_tables.hpp"

namespace headlight {

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
