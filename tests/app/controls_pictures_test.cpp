// Golden pictures of every control, in both themes and in each of its states.
#include <doctest/doctest.h>

#include "app/platform/surfaces/offscreen.hpp"
#include "tests/app/controls_desk.hpp"
#include "tests/app/golden.hpp"
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

TEST_CASE("surface: the interface scale makes everything larger, and positions stay those of the design") {
  ControlsSheet sheet;
  SheetApp app([&](FrameContext& frame) { sheet.draw(frame); });
  Offscreen surface(app, 1530, 1365);
  app.set_look({ThemeName::light, 1.5f});
  surface.frames(2);
  surface.click(default_button);
  CHECK(sheet.presses == 1);
  expect_picture(surface.settled_picture().cropped(0, 700, 1060, 340), "controls-light-150");
}

TEST_CASE("controls: hovered, pressed, focused, open") {
  {
    Desk desk;
    desk.surface.move_mouse(default_button);
    expect_picture(desk.surface.settled_picture().cropped(20, 380, 680, 60), "state-hovered");
    desk.surface.press_mouse();
    expect_picture(desk.surface.settled_picture().cropped(20, 380, 680, 60), "state-pressed");
  }
  {
    Desk desk;
    desk.tab(1);
    expect_picture(desk.surface.settled_picture().cropped(20, 380, 680, 60), "state-focused");
  }
  {
    Desk desk;
    desk.surface.click(lecture_select);
    expect_picture(desk.surface.settled_picture().cropped(440, 490, 260, 200), "state-open");
  }
  {
    Desk desk;
    desk.surface.move_mouse({383, 414});
    desk.surface.wait(0.8);
    expect_picture(desk.surface.settled_picture().cropped(360, 390, 240, 70), "state-tooltip");
  }
}

}  // namespace
}  // namespace headlight
