#include <doctest/doctest.h>

#include "app/platform/surfaces/offscreen.hpp"
#include "tests/app/controls_sheet.hpp"
#include "tests/app/picture.hpp"
#include "tests/app/sheet_app.hpp"

namespace headlight {
namespace {

Image sheet_picture(ThemeName theme, float scale) {
  ControlsSheet sheet;
  SheetApp app([&](FrameContext& frame) { sheet.draw(frame); }, {theme});
  Offscreen surface(app, 1020, 910, scale);
  return surface.settled_picture();
}

TEST_CASE("controls: every control in both themes at scale 1 and 2") {
  expect_picture(sheet_picture(ThemeName::dark, 1), "controls-dark");
  expect_picture(sheet_picture(ThemeName::light, 1), "controls-light");
  expect_picture(sheet_picture(ThemeName::dark, 2).cropped(0, 740, 1400, 640), "controls-dark-2x");
  expect_picture(sheet_picture(ThemeName::light, 2).cropped(0, 1400, 1400, 420), "controls-light-2x");
}

TEST_CASE("pictures: one that moved by a pixel, or that lost a word, is told from the golden one") {
  const Image sheet = sheet_picture(ThemeName::dark, 1);
  CHECK(difference(sheet, sheet).share_off == 0);
  CHECK(difference(sheet.cropped(0, 0, 1000, 900), sheet.cropped(0, 1, 1000, 900)).share_off > tolerated_share_off);
  Image without_word = sheet;
  for (int y = 740; y < 760; ++y)
    for (int x = 380; x < 440; ++x) without_word.set(x, y, sheet.at(0, 0));
  CHECK(difference(sheet.cropped(0, 700, 700, 100), without_word.cropped(0, 700, 700, 100)).share_off >
        tolerated_share_off);
  CHECK_FALSE(difference(sheet, sheet.cropped(0, 0, 100, 100)).same_size);
}

}  // namespace
}  // namespace headlight
