// A picture in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/drawing/color.hpp"

namespace headlight {

/// 8-bit RGBA, top row first.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;  ///< width · height · 4

  Image() = default;
  Image(int w, int h);

  Color at(int x, int y) const;
  void set(int x, int y, Color color);
  Image cropped(int x, int y, int w, int h) const;

  friend bool operator==(const Image&, const Image&) = default;
};

}  // namespace headlight
