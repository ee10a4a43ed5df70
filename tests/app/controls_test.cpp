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

}  // namespace
}  // namespace headlight
