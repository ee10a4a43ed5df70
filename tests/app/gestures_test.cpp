#include "app/ui/gestures.hpp"

#include <doctest/doctest.h>

#include <variant>
#include <vector>

using namespace headlight;

namespace {

using Kind = PointerEvent::Kind;
using Deeds = std::vector<Deed>;

PointerEvent finger(Kind kind, Point at, double time = 0, int id = 1) { return {kind, true, id, at, time}; }

const PointTo away{{-1, -1}};
const Deeds click{PressButton{0, true}, PressButton{0, false}, away};
const Deeds leave{away};

}  // namespace

TEST_CASE("a tap points and clicks, also if the finger strays a little") {
  Gestures gestures;
  CHECK(gestures.take(finger(Kind::down, {10, 20}), DragUse::none) == Deeds{PointTo{{10, 20}}});
  CHECK(gestures.take(finger(Kind::move, {14, 26}, 0.1), DragUse::none).empty());
  CHECK(gestures.take(finger(Kind::up, {14, 26}, 0.2), DragUse::none) == click);
  CHECK_FALSE(gestures.due());
  CHECK(gestures.rest_until(9, DragUse::none).empty());
}

TEST_CASE("a finger that rests opens a menu once, and its lifting clicks nothing") {
  Gestures gestures;
  gestures.take(finger(Kind::down, {10, 20}, 3), DragUse::any);
  REQUIRE(gestures.due());
  CHECK(*gestures.due() == doctest::Approx(3.5));
  CHECK(gestures.rest_until(3.4, DragUse::none).empty());
  CHECK(gestures.rest_until(3.5, DragUse::none) == Deeds{PressButton{1, true}, PressButton{1, false}});
  CHECK_FALSE(gestures.due());
  CHECK(gestures.take(finger(Kind::move, {90, 20}, 3.6), DragUse::any).empty());
  CHECK(gestures.take(finger(Kind::up, {90, 20}, 3.7), DragUse::any) == leave);
  gestures.take(finger(Kind::down, {10, 20}, 4), DragUse::none);
  CHECK(gestures.take(finger(Kind::up, {10, 20}, 4.1), DragUse::none) == click);
}

TEST_CASE("a drag goes to what takes it, with the button down where the finger began") {
  Gestures gestures;
  gestures.take(finger(Kind::down, {10, 20}), DragUse::any);
  CHECK(gestures.take(finger(Kind::move, {30, 20}), DragUse::any) == Deeds{PressButton{0, true}, PointTo{{30, 20}}});
  CHECK_FALSE(gestures.due());
  CHECK(gestures.take(finger(Kind::move, {50, 22}), DragUse::none) == Deeds{PointTo{{50, 22}}});
  CHECK(gestures.take(finger(Kind::up, {50, 22}), DragUse::none) == Deeds{PressButton{0, false}, away});
}

TEST_CASE("a drag that nothing takes scrolls by just as much as the finger moved, and clicks nothing") {
  Gestures gestures;
  gestures.take(finger(Kind::down, {10, 100}), DragUse::none);
  CHECK(gestures.take(finger(Kind::move, {10, 85}), DragUse::none) == Deeds{ScrollBy{{0, -15}}});
  CHECK(gestures.take(finger(Kind::move, {12, 60}), DragUse::any) == Deeds{ScrollBy{{2, -25}}});
  CHECK(gestures.take(finger(Kind::up, {12, 60}, 9), DragUse::none) == leave);  // it has rested since
}

TEST_CASE("what scrolls goes on when the finger leaves it in motion, slower and slower, until it rests") {
  Gestures gestures;
  gestures.take(finger(Kind::down, {10, 500}, 1), DragUse::none);
  for (int i = 1; i <= 10; ++i)
    gestures.take(finger(Kind::move, {10, 500 - 10.0f * static_cast<float>(i)}, 1 + 0.01 * i), DragUse::none);
  CHECK(gestures.take(finger(Kind::up, {10, 400}, 1.1), DragUse::none).empty());
  REQUIRE(gestures.glides());
  REQUIRE(gestures.due());
  float way = 0, before = 1e9f;
  Deed last;
  double time = 1.1;
  for (int frames = 0; gestures.glides() && frames < 1000; ++frames) {
    for (const Deed& deed : gestures.rest_until(time += 1.0 / 60, DragUse::none)) {
      last = deed;
      const auto* const scroll = std::get_if<ScrollBy>(&deed);
      if (scroll == nullptr) continue;
      CHECK(scroll->by.y < 0);
      CHECK(-scroll->by.y < before);
      before = -scroll->by.y;
      way -= scroll->by.y;
    }
  }
  CHECK_FALSE(gestures.glides());
  CHECK_FALSE(gestures.due());
  CHECK(last == Deed{away});
  // With 1000 pixels per second, of which 20 are left.
  CHECK(way == doctest::Approx((1000 - 20) * glide_time).epsilon(0.05));
}

TEST_CASE("a finger that comes down on what glides stops it, and clicks nothing") {
  Gestures gestures;
  gestures.take(finger(Kind::down, {10, 500}, 1), DragUse::none);
  gestures.take(finger(Kind::move, {10, 400}, 1.05), DragUse::none);
  gestures.take(finger(Kind::up, {10, 400}, 1.05), DragUse::none);
  REQUIRE(gestures.glides());
  CHECK(gestures.take(finger(Kind::down, {10, 300}, 1.1), DragUse::none) == Deeds{PointTo{{10, 300}}});
  CHECK_FALSE(gestures.glides());
  CHECK(gestures.rest_until(9, DragUse::none).empty());
  CHECK(gestures.take(finger(Kind::up, {10, 300}, 1.2), DragUse::none) == leave);
}

TEST_CASE("a drag that edits begins when the finger has rested; one that moves at once scrolls, straight or not") {
  for (const Point to : {Point{10, 60}, {60, 110}, {60, 100}, {30, 60}}) {
    Gestures gestures;
    gestures.take(finger(Kind::down, {10, 100}), DragUse::after_rest);
    CHECK(gestures.take(finger(Kind::move, to, 0.1), DragUse::after_rest) == Deeds{ScrollBy{to - Point{10, 100}}});
  }
  Gestures gestures;
  gestures.take(finger(Kind::down, {10, 100}), DragUse::after_rest);
  CHECK(gestures.rest_until(long_press, DragUse::after_rest) == Deeds{PressButton{0, true}});
  CHECK(gestures.take(finger(Kind::move, {40, 100}, 1), DragUse::none) == Deeds{PointTo{{40, 100}}});
  CHECK(gestures.take(finger(Kind::up, {40, 100}, 1.1), DragUse::none) == Deeds{PressButton{0, false}, away});
}

TEST_CASE("what takes a drag sideways, such as a slider, leaves one up and down to the panel that scrolls") {
  Gestures gestures;
  gestures.take(finger(Kind::down, {10, 100}), DragUse::sideways);
  CHECK(gestures.take(finger(Kind::move, {30, 88}), DragUse::sideways) ==
        Deeds{PressButton{0, true}, PointTo{{30, 88}}});
  gestures.take(finger(Kind::up, {30, 88}), DragUse::sideways);
  gestures.take(finger(Kind::down, {10, 100}), DragUse::sideways);
  CHECK(gestures.take(finger(Kind::move, {22, 80}), DragUse::sideways) == Deeds{ScrollBy{{12, -20}}});
}

TEST_CASE("two fingers zoom about their middle, scroll with it, and click nothing when they leave") {
  Gestures gestures;
  gestures.take(finger(Kind::down, {100, 100}, 0, 1), DragUse::none);
  CHECK(gestures.take(finger(Kind::down, {200, 100}, 0.1, 2), DragUse::none) == Deeds{PointTo{{150, 100}}});
  CHECK_FALSE(gestures.due());
  CHECK(gestures.take(finger(Kind::move, {300, 100}, 0.2, 2), DragUse::none) ==
        Deeds{PointTo{{200, 100}}, ScrollBy{{50, 0}}, ZoomBy{2}});
  CHECK(gestures.take(finger(Kind::up, {300, 100}, 0.3, 2), DragUse::none).empty());
  CHECK(gestures.take(finger(Kind::move, {140, 100}, 0.4, 1), DragUse::none).empty());
  CHECK(gestures.take(finger(Kind::up, {140, 100}, 0.5, 1), DragUse::none) == leave);
  gestures.take(finger(Kind::down, {1, 1}, 1, 3), DragUse::none);
  CHECK(gestures.take(finger(Kind::up, {1, 1}, 1.1, 3), DragUse::none) == click);
}

TEST_CASE("a second finger ends a drag without a click, and so does the system when it takes the finger away") {
  const Deeds let_go{away, PressButton{0, false}};
  Gestures gestures;
  gestures.take(finger(Kind::down, {10, 20}), DragUse::any);
  gestures.take(finger(Kind::move, {40, 20}), DragUse::any);
  Deeds deeds = gestures.take(finger(Kind::down, {80, 20}, 1, 2), DragUse::any);
  REQUIRE(deeds.size() == 3);
  deeds.pop_back();
  CHECK(deeds == let_go);
  Gestures other;
  other.take(finger(Kind::down, {10, 20}), DragUse::any);
  other.take(finger(Kind::move, {40, 20}), DragUse::any);
  CHECK(other.take(finger(Kind::cancel, {40, 20}), DragUse::any) == let_go);
  other.take(finger(Kind::down, {10, 20}), DragUse::any);
  CHECK(other.take(finger(Kind::cancel, {10, 20}), DragUse::any).empty());
}

TEST_CASE("a mouse is passed on as it is, and fingers that were never put down mean nothing") {
  Gestures gestures;
  CHECK(gestures.take({Kind::move, false, 0, {5, 6}, 0}, DragUse::any) == Deeds{PointTo{{5, 6}}});
  CHECK(gestures.take({Kind::down, false, 0, {5, 6}, 0, 1}, DragUse::any) ==
        Deeds{PointTo{{5, 6}}, PressButton{1, true}});
  CHECK(gestures.take({Kind::up, false, 0, {5, 6}, 2, 1}, DragUse::any) ==
        Deeds{PointTo{{5, 6}}, PressButton{1, false}});
  CHECK_FALSE(gestures.due());
  CHECK(gestures.take(finger(Kind::move, {40, 20}), DragUse::any).empty());
  CHECK(gestures.take(finger(Kind::up, {40, 20}), DragUse::any).empty());
  CHECK(gestures.take(finger(Kind::up, {40, 20}), DragUse::none).empty());
}
