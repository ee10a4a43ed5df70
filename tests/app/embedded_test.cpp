// A window that is one figure in someone else's page.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "app/session/snapshot/shared_link.hpp"
#include "scripted.hpp"

using namespace headlight;
using headlight::testing::lecture_session;
using headlight::testing::Scripted;

namespace {

Session embedded(const std::string& figure, const std::string& place = "numpy-from-scratch&step=8") {
  Session session = lecture_session();
  REQUIRE(go_to(session, read_link("#lecture=" + place + "&embed=" + figure)).empty());
  return session;
}

}  // namespace

TEST_CASE("each figure fits itself to a narrow and to a wide frame, without panels and bars") {
  for (const std::string figure : {"pipeline", "heads", "tokens", "heatmap", "learn"})
    for (const int width : {400, 700, 1000}) {
      CAPTURE(figure);
      CAPTURE(width);
      Scripted user(embedded(figure, figure == "learn" ? "learning&step=4" : "numpy-from-scratch&step=8"), width, 420);
      const auto items = user.surface.items();
      CHECK_FALSE(items.empty());
      for (const PlacedItem& item : items) {
        CAPTURE(item.path);
        CHECK_FALSE(item.path.starts_with("top bar"));
        CHECK_FALSE(item.path.starts_with("right"));
        CHECK(item.rect.x >= -1);
        CHECK(item.rect.right() <= static_cast<float>(width) + 1);
        CHECK(item.rect.bottom() <= 421);
      }
    }
}

TEST_CASE("a figure can be pointed at and clicked, and leaves wheel and Page keys to the page") {
  Scripted user(embedded("heatmap"), 700, 420);
  const Rect cells = user.item("cells");
  user.click(cells.center());
  CHECK(user.session().state().pinned);
  CHECK(user.app.wheel_use() == WheelUse{false, false});
  const std::size_t step = user.session().lesson().at.index;
  for (const Key key : {Key::page_down, Key::page_up, Key::home, Key::end, Key::space}) {
    CHECK_FALSE(user.app.uses_key({key}));
    user.press(key);
  }
  user.press({.key = Key::k, .ctrl = true});
  CHECK(user.session().display().overlay == Overlay::none);
  CHECK(user.session().lesson().at.index == step);
  CHECK(user.app.uses_key({Key::escape}));
  user.press(Key::escape);
  CHECK_FALSE(user.session().state().pinned);
}

TEST_CASE("a figure of heads says the number where the mouse rests") {
  Scripted user(embedded("heads"), 1000, 500);
  const Rect cells = user.item("cards/1/cells/cells");
  const auto says = [&](const std::string& beginning) {
    return std::ranges::any_of(user.surface.settled_drawing().drawn, [&](const Drawn& drawn) {
      const auto* text = std::get_if<TextShape>(&drawn.shape);
      return text != nullptr && text->text.starts_with(beginning);
    });
  };
  CHECK_FALSE(says("context["));
  user.surface.move_mouse({cells.x + cells.w * 0.625f, cells.y + cells.h * 0.125f});
  user.surface.wait(0.6);
  CHECK(says("context[0,1,0,2] = 2.0895"));
}

TEST_CASE("a button in the corner shows the whole window") {
  Scripted user(embedded("heads"), 1000, 500);
  CHECK_FALSE(user.has_item("whole"));
  user.surface.move_mouse({980, 40});
  user.surface.settle();
  user.click_item("whole");
  CHECK(user.session().display().embedded == Embedded::none);
  CHECK(user.app.uses_key({Key::page_down}));
}

TEST_CASE("the window tells in which directions the wheel has a use, and which keys it leaves to a browser") {
  Scripted user(lecture_session("numpy-from-scratch", 4), 1280, 460);
  for (const Chord& own : {Chord{Key::page_down}, Chord{Key::h}, Chord{Key::f1}, Chord{.key = Key::k, .ctrl = true},
                           Chord{.key = Key::c, .alt = true}, Chord{.key = Key::enter, .ctrl = true}})
    CHECK(user.app.uses_key(own));
  for (const Chord& of_browser : {Chord{Key::f7}, Chord{.key = Key::h, .ctrl = true}, Chord{.key = Key::d, .alt = true},
                                  Chord{.key = Key::j, .ctrl = true, .shift = true}})
    CHECK_FALSE(user.app.uses_key(of_browser));
  user.surface.move_mouse({1200, 250});
  user.surface.settle();
  CHECK(user.app.wheel_use() == WheelUse{false, true});
  user.surface.wheel(-1);
  user.surface.settle();
  CHECK(user.app.wheel_use() == WheelUse{true, true});
  user.surface.wheel(-200);
  user.surface.settle();
  CHECK(user.app.wheel_use() == WheelUse{true, false});
  user.surface.move_mouse({640, 10});
  user.surface.settle();
  CHECK(user.app.wheel_use() == WheelUse{false, false});
}
