#include "tests/app/picture.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace headlight {
namespace {

/// The largest of the channels' differences.
int pixel_difference(const Image& a, const Image& b, int x, int y) {
  const Color p = a.at(x, y);
  const Color q = b.at(x, y);
  const auto apart = [](std::uint8_t one, std::uint8_t other) {
    return std::abs(static_cast<int>(one) - static_cast<int>(other));
  };
  return std::max({apart(p.r, q.r), apart(p.g, q.g), apart(p.b, q.b), apart(p.a, q.a)});
}

bool same_size(const Image& a, const Image& b) { return a.width == b.width && a.height == b.height; }

struct TileDifference {
  int x = 0;  ///< of the tile's upper left corner
  int y = 0;
  int sum = 0;
};

/// The tiles whose difference is not tolerated, the largest difference first.
std::vector<TileDifference> tiles_off(const Image& a, const Image& b) {
  std::vector<TileDifference> off;
  for (int first_y = 0; first_y < a.height; first_y += tile_side) {
    for (int first_x = 0; first_x < a.width; first_x += tile_side) {
      TileDifference tile{first_x, first_y, 0};
      for (int y = first_y; y < std::min(first_y + tile_side, a.height); ++y)
        for (int x = first_x; x < std::min(first_x + tile_side, a.width); ++x) tile.sum += pixel_difference(a, b, x, y);
      if (tile.sum > tolerated_in_tile) off.push_back(tile);
    }
  }
  std::stable_sort(off.begin(), off.end(), [](const auto& one, const auto& other) { return one.sum > other.sum; });
  return off;
}

}  // namespace

std::string complaint(const Image& image, const Image& expected) {
  if (!same_size(image, expected))
    return fmt::format("it has {} x {} pixels instead of {} x {}", image.width, image.height, expected.width,
                       expected.height);
  const std::vector<TileDifference> off = tiles_off(image, expected);
  if (off.empty()) return {};
  return fmt::format("{} tiles are off, most of all the one at {}, {} (by {}, and {} is tolerated)", off.size(),
                     off[0].x, off[0].y, off[0].sum, tolerated_in_tile);
}

Image difference_picture(const Image& a, const Image& b) {
  Image result(std::min(a.width, b.width), std::min(a.height, b.height));
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) {
      const auto level = static_cast<std::uint8_t>(255 - std::min(255, pixel_difference(a, b, x, y) * 4));
      result.set(x, y, {level, level, level, 255});
    }
  }
  return result;
}

}  // namespace headlight
