#include "tests/app/picture.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "app/platform/pictures/png.hpp"

namespace headlight {
namespace {

const std::filesystem::path golden_folder = HEADLIGHT_GOLDEN_PICTURES;
const std::filesystem::path failure_folder = HEADLIGHT_FAILED_PICTURES;

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

/// A picture that is white where both agree, and darker the more they differ.
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

struct TileDifference {
  int x = 0;  ///< of the tile's upper left corner
  int y = 0;
  int sum = 0;
};

/// The tiles whose difference is not tolerated, the largest difference first.
std::vector<TileDifference> tiles_off(const Image& a, const Image& b) {
  std::vector<TileDifference> off;
  for (int top = 0; top < a.height; top += tile_side) {
    for (int left = 0; left < a.width; left += tile_side) {
      TileDifference tile{left, top, 0};
      for (int y = top; y < std::min(top + tile_side, a.height); ++y)
        for (int x = left; x < std::min(left + tile_side, a.width); ++x) tile.sum += pixel_difference(a, b, x, y);
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

Image golden_picture(const std::string& name) { return read_png(golden_folder / (name + ".png")); }

void expect_picture(const Image& image, const std::string& name) {
  const std::filesystem::path golden = golden_folder / (name + ".png");
  const char* update = std::getenv("HEADLIGHT_UPDATE_GOLDEN");
  if (update && std::string_view(update) == "1") {
    write_png(golden, image);
    return;
  }
  std::filesystem::create_directories(failure_folder);
  const std::filesystem::path actual = failure_folder / (name + ".actual.png");
  const std::filesystem::path differing = failure_folder / (name + ".difference.png");
  if (!std::filesystem::exists(golden)) {
    write_png(actual, image);
    FAIL_CHECK("no golden picture " << golden.string() << "; drawn: " << actual.string());
    return;
  }
  const Image expected = read_png(golden);
  const std::string wrong = complaint(image, expected);
  if (wrong.empty()) return;
  write_png(actual, image);
  write_png(differing, difference_picture(image, expected));
  FAIL_CHECK("the picture " << name << " is not " << golden.string() << ": " << wrong << "; drawn: " << actual.string()
                            << ", difference: " << differing.string());
}

}  // namespace headlight
