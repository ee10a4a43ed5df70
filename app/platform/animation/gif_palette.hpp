// A palette of few colours in place of many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "app/platform/pictures/image.hpp"

namespace headlight {

/// How often each colour occurs; alpha is ignored.
class ColorCount {
 public:
  void add(const Image& image);
  const std::unordered_map<std::uint32_t, std::uint64_t>& counts() const { return counts_; }

 private:
  std::unordered_map<std::uint32_t, std::uint64_t> counts_;
};

/// At most `size` colours in place of the counted ones: all of them if they are few enough. Otherwise the colours
/// are split into boxes, always the box whose colours differ most, and the palette has the mean of each box. A colour
/// is weighted by the square root of its count, so that thin lines keep their colour beside large areas.
std::vector<Color> palette_of(const ColorCount& count, std::size_t size);

/// Finds the nearest colour of a palette, as the eye weighs red, green and blue.
class PaletteIndex {
 public:
  explicit PaletteIndex(std::vector<Color> palette) : palette_(std::move(palette)) {}
  std::uint8_t nearest(Color color);

 private:
  std::vector<Color> palette_;
  std::unordered_map<std::uint32_t, std::uint8_t> known_;
};

}  // namespace headlight
