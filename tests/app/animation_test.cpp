#include <cstdlib>

#include <doctest/doctest.h>

#include "app/platform/animation/gif.hpp"
#include "app/platform/animation/gif_palette.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::TemporaryFolder;

namespace {

Image filled(int width, int height, Color color) {
  Image image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.set(x, y, color);
  return image;
}

/// A large area of one colour with a thin line in another, and a ramp with more colours than a palette can hold.
Image ramp_with_line() {
  Image image = filled(64, 64, {20, 22, 28, 255});
  for (int x = 0; x < 64; ++x) image.set(x, 5, {255, 200, 60, 255});
  for (int y = 16; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      image.set(x, y, {static_cast<std::uint8_t>(4 * x), static_cast<std::uint8_t>(2 * y), 120, 255});
  return image;
}

int distance(Color a, Color b) { return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b); }

}  // namespace

TEST_CASE("few colours are all kept, exactly") {
  Image image = filled(4, 4, {1, 2, 3, 255});
  image.set(1, 1, {200, 0, 0, 255});
  image.set(2, 3, {201, 0, 0, 255});
  ColorCount count;
  count.add(image);
  const auto palette = palette_of(count, 255);
  CHECK(palette.size() == 3);
  PaletteIndex index(palette);
  for (const Color color : {Color{1, 2, 3, 255}, Color{200, 0, 0, 255}, Color{201, 0, 0, 255}})
    CHECK(palette[index.nearest(color)] == color);
}

TEST_CASE("of many colours grounds and thin lines stay close to their own") {
  const Image image = ramp_with_line();
  ColorCount count;
  count.add(image);
  const auto palette = palette_of(count, 64);
  CHECK(palette.size() == 64);
  PaletteIndex index(palette);
  for (const Color color : {Color{20, 22, 28, 255}, Color{255, 200, 60, 255}})
    CHECK(distance(palette[index.nearest(color)], color) <= 6);
  for (int y = 16; y < 64; ++y)
    for (int x = 0; x < 64; ++x) CHECK(distance(palette[index.nearest(image.at(x, y))], image.at(x, y)) <= 64);
}

TEST_CASE("the changed block is as small as it can be") {
  const Image before = filled(10, 8, {0, 0, 0, 255});
  Image now = before;
  CHECK(changed_block(before, now).width == 1);
  now.set(3, 2, {1, 0, 0, 255});
  now.set(6, 5, {0, 0, 1, 255});
  const PixelBlock block = changed_block(before, now);
  CHECK(block.x == 3);
  CHECK(block.y == 2);
  CHECK(block.width == 4);
  CHECK(block.height == 4);
}

TEST_CASE("animations that cannot be written leave nothing behind") {
  const TemporaryFolder folder;
  const Animation animation{1, [](std::size_t) { return ramp_with_line(); }, 0.5};
  CHECK_THROWS_AS(write_gif(folder / "none/a.gif", animation), InputError);
  CHECK_THROWS_AS(write_gif("/dev/full", animation), InputError);
  CHECK(folder.entries() == 0);
}
