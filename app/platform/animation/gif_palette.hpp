// A few colours in place of many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "app/platform/pictures/image.hpp"

namespace headlight {

/// How often each colour occurs; alpha is left aside.
class ColorCount {
 public:
  void add(const Image& image);
  const std::unordered_map<std::uint32_t, std::uint64_t>& counts() const { return counts_; }

 private:
  std::unordered_map<std::uint32_t, std::uint64_t> counts_;
};

/// At most `size` colours that stand for the counted ones: all of them where they are that few; otherwise the box of
/// colours that differ most among each other is divided again and again, and each box stands for its mean. A colour
/// counts by the root of how often it occurs, so that thin lines keep theirs beside large grounds.
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
