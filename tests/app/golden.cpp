#include "tests/app/golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <doctest/doctest.h>

#include "app/platform/pictures/png.hpp"
#include "tests/app/picture.hpp"

namespace headlight {
namespace {

const std::filesystem::path golden_folder = HEADLIGHT_GOLDEN_PICTURES;
const std::filesystem::path failure_folder = HEADLIGHT_FAILED_PICTURES;

}  // namespace

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
