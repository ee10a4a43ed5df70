#include "tests/app/picture.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <doctest/doctest.h>

#include "app/platform/pictures/png.hpp"

namespace headlight {
namespace {

constexpr int threshold = 24;

const std::filesystem::path golden_folder = HEADLIGHT_GOLDEN_PICTURES;
const std::filesystem::path failure_folder = HEADLIGHT_FAILED_PICTURES;

int channel_difference(std::uint8_t a, std::uint8_t b) { return std::abs(static_cast<int>(a) - static_cast<int>(b)); }

/// White where the pictures agree, darker the more they differ.
Image difference_picture(const Image& a, const Image& b) {
  Image result(std::min(a.width, b.width), std::min(a.height, b.height));
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) {
      const Color p = a.at(x, y);
      const Color q = b.at(x, y);
      const int most =
          std::max({channel_difference(p.r, q.r), channel_difference(p.g, q.g), channel_difference(p.b, q.b)});
      const auto level = static_cast<std::uint8_t>(255 - std::min(255, most * 4));
      result.set(x, y, {level, level, level, 255});
    }
  }
  return result;
}

}  // namespace

PictureDifference difference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return {255, 1, false};
  double sum = 0;
  std::size_t off = 0;
  for (std::size_t i = 0; i < a.rgba.size(); i += 4) {
    int most = 0;
    for (std::size_t channel = i; channel < i + 4; ++channel) {
      const int d = channel_difference(a.rgba[channel], b.rgba[channel]);
      sum += d;
      most = std::max(most, d);
    }
    off += most > threshold;
  }
  const auto pixels = static_cast<double>(a.rgba.size()) / 4;
  return {sum / (4 * pixels), static_cast<double>(off) / pixels, true};
}

void expect_picture(const Image& image, const std::string& name) {
  const std::filesystem::path golden = golden_folder / (name + ".png");
  const char* update = std::getenv("HEADLIGHT_UPDATE_GOLDEN");
  if (update && std::string_view(update) == "1") {
    std::filesystem::create_directories(golden_folder);
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
  const PictureDifference d = difference(image, expected);
  const bool good = d.same_size && d.mean <= tolerated_mean && d.share_off <= tolerated_share_off;
  if (good) return;
  write_png(actual, image);
  write_png(differing, difference_picture(image, expected));
  FAIL_CHECK("the picture " << name << " differs from " << golden.string() << " (mean " << d.mean << ", pixels off "
                            << 100 * d.share_off << " %); drawn: " << actual.string()
                            << ", difference: " << differing.string());
}

}  // namespace headlight
