#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "app/platform/machine_error.hpp"
#include "app/platform/pictures/png.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

Image gradient(bool opaque) {
  Image image(17, 9);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      image.set(x, y,
                {static_cast<std::uint8_t>(15 * x), static_cast<std::uint8_t>(28 * y), 77,
                 static_cast<std::uint8_t>(opaque ? 255 : 15 * x)});
  return image;
}

TEST_CASE("png: a picture comes back as it was, with and without transparency, and its text with it") {
  const PngText text{{"Software", "Headlight"}, {"Setup", std::string(5000, 'x') + " ᵀ √"}};
  for (bool opaque : {true, false}) {
    PngText read;
    CHECK(decode_png(encode_png(gradient(opaque), text), "memory", &read) == gradient(opaque));
    CHECK(read == text);
  }
}

TEST_CASE("png: the text is read without the picture") {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "headlight-png-test.png";
  const PngText text{{"Setup", "ᵀ = 1"}, {"Session", std::string(3000, 'y')}};
  write_png(file, gradient(true), text);
  CHECK(read_png_text(file) == text);
  write_png(file, gradient(false));
  CHECK(read_png_text(file).empty());
  std::filesystem::resize_file(file, 60);
  CHECK_THROWS_WITH_AS(read_png_text(file), doctest::Contains("headlight-png-test.png"), InputError);
  std::filesystem::remove(file);
}

TEST_CASE("png: what is no picture is refused with its name") {
  std::vector<unsigned char> bytes = encode_png(gradient(true));
  bytes.resize(bytes.size() / 2);
  CHECK_THROWS_AS(decode_png(bytes, "half.png"), InputError);
  CHECK_THROWS_WITH_AS(decode_png({1, 2, 3}, "noise.png"), doctest::Contains("noise.png"), InputError);
  CHECK_THROWS_AS(read_png("/nowhere/at/all.png"), InputError);
  CHECK_THROWS_AS(write_png("/nowhere/at/all.png", gradient(true)), InputError);
}

TEST_CASE("png: a picture that cannot be one is refused with words that anybody can catch") {
  CHECK_THROWS_AS(encode_png(Image(0, 3)), std::runtime_error);
}

}  // namespace
}  // namespace headlight
