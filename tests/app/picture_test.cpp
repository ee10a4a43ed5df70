// Tests the comparison with golden pictures itself: it must find a picture in which one small thing is missing.
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>

#include "app/ui/drawing/fonts.hpp"
#include "tests/app/golden.hpp"
#include "tests/app/picture.hpp"

namespace headlight {
namespace {

struct Area {
  int x;
  int y;
  int w;
  int h;
};

/// A copy of the picture in which the pixels of the area for which `picks` is true have the background colour.
Image without(
    const Image& picture, const Area& area, Color ground,
    const std::function<bool(Color)>& picks = [](Color) { return true; }) {
  Image result = picture;
  for (int y = area.y; y < area.y + area.h; ++y)
    for (int x = area.x; x < area.x + area.w; ++x)
      if (picks(picture.at(x, y))) result.set(x, y, ground);
  return result;
}

/// The bytes of the file in the program, of which there is one for each face.
std::size_t bytes_of(TextStyle style) { return face_of(style).file.size(); }

/// Other letters are not those of the golden pictures, and every picture would be another one.
TEST_CASE("pictures: their letters are those of DejaVu 2.37 and not of the app's own typefaces") {
  CHECK(bytes_of(TextStyle::body) == 759720);
  CHECK(bytes_of(TextStyle::body_strong) == 708920);
  CHECK(bytes_of(TextStyle::number) == 343140);
  CHECK(bytes_of(TextStyle::number_strong) == 334268);
  CHECK(fallback_face().file.size() == 759720);
}

TEST_CASE("pictures: one erased number is told") {
  const Image golden = golden_picture("view-tokens");
  const Color ground = golden.at(670, 416);
  CHECK(complaint(golden, golden).empty());
  CHECK_FALSE(
      complaint(without(golden, {625, 329, 34, 20}, ground), golden).empty());  // erases "100%", a number in the view
  CHECK_FALSE(complaint(without(golden, {625, 329, 10, 20}, ground), golden).empty());  // erases its first digit
}

TEST_CASE("pictures: a missing wire is told") {
  const Image golden = golden_picture("view-tokens");
  const auto blue = [](Color c) { return c.b > c.r + 16 && c.g > c.r; };
  const Area quarter{467, 396, 92, 28};  // the only blue thing here is the thin line from "saw" to "two"
  CHECK_FALSE(complaint(without(golden, quarter, golden.at(670, 416), blue), golden).empty());
}

TEST_CASE("pictures: a missing bar is told, two pixels long") {
  const Image golden = golden_picture("view-learn");
  const Area bar{1177, 410, 2, 18};
  const Color ground = golden.at(bar.x - 2, bar.y);
  CHECK_FALSE(complaint(without(golden, bar, ground), golden).empty());
  CHECK(complaint(without(golden, {bar.x - 12, bar.y, 8, bar.h}, ground), golden).empty());
}

TEST_CASE("pictures: one that moved by a pixel, or that has another size, is told") {
  const Image golden = golden_picture("controls-dark");
  CHECK_FALSE(complaint(golden.cropped(0, 0, 1000, 900), golden.cropped(0, 1, 1000, 900)).empty());
  CHECK_FALSE(complaint(golden.cropped(0, 0, 1000, 900), golden.cropped(1, 0, 1000, 900)).empty());
  CHECK_FALSE(complaint(golden.cropped(0, 0, 100, 100), golden).empty());
}

/// Between two processors, the same edge differed by at most five levels, on a few pixels of a tile.
TEST_CASE("pictures: edges that are rounded otherwise pass") {
  const Image golden = golden_picture("view-tokens");
  Image rounded = golden;
  for (int y = 0; y < golden.height; ++y)
    for (int x = y % 4; x < golden.width; x += 4) {
      Color c = golden.at(x, y);
      c.g = static_cast<std::uint8_t>(c.g < 128 ? c.g + 1 : c.g - 1);
      rounded.set(x, y, c);
    }
  CHECK(complaint(rounded, golden).empty());
}

}  // namespace
}  // namespace headlight
