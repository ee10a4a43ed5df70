#include <doctest/doctest.h>

#include <initializer_list>

#include "app/views/base/layout.hpp"

using namespace headlight;

TEST_CASE("the design's sizes hold at 1440 × 900") {
  const Layout layout = layout_of({0, 0, 1440, 900}, {});
  CHECK(layout.top_bar == Rect{0, 0, 1440, 44});
  CHECK(layout.status == Rect{0, 876, 1440, 24});
  CHECK(layout.setup == Rect{0, 44, 280, 832});
  CHECK(layout.map == Rect{280, 44, 1160, 164});
  CHECK(layout.inspector == Rect{1100, 208, 340, 668});
  CHECK(layout.centre == Rect{280, 208, 820, 668});
}

TEST_CASE("the map is above every view of a layer, and lower above those that need more of the height") {
  for (const View view : all_views) {
    CAPTURE(to_string(view));
    Display display;
    display.view = view;
    if (!has_map(info(view))) {
      CHECK(layout_of({0, 0, 1920, 1080}, display).map.empty());
      continue;
    }
    const bool pipeline = view == View::pipeline;
    CHECK(layout_of({0, 0, 1920, 1080}, display).map == Rect{280, 44, 1640, 164});
    CHECK(layout_of({0, 0, 1440, 900}, display).map.h == (pipeline ? 164 : 112));
    CHECK(layout_of({0, 0, 1280, 720}, display).map.h == (pipeline ? 112 : compact_map_height));
    CHECK(layout_of({0, 0, 720, 450}, display).map.h == phase_strip_height);
  }
}

TEST_CASE("areas fill the surface and never overlap, whatever its size") {
  for (View view : all_views)
    for (float width : {640.0f, 720.0f, 853.0f, 1024.0f, 1280.0f, 1920.0f})
      for (float height : {360.0f, 450.0f, 720.0f, 1080.0f})
        for (std::optional<SidePanel> asked :
             {std::optional<SidePanel>{}, std::optional{SidePanel::setup}, std::optional{SidePanel::inspector}}) {
          CAPTURE(width);
          CAPTURE(height);
          Display display;
          display.view = view;
          const Layout l = layout_of({0, 0, width, height}, display, asked);
          const Rect areas[] = {l.top_bar, l.status, l.setup, l.map, l.centre, l.inspector};
          float total = 0;
          for (const Rect& a : areas) {
            if (a.empty()) continue;
            total += a.w * a.h;
            for (const Rect& b : areas)
              if (!b.empty() && !(a == b)) CHECK(a.intersected(b).empty());
          }
          CHECK(total == doctest::Approx(width * height));
          CHECK(l.centre.w >= 200);
          CHECK(l.centre.h >= 170);
        }
}

TEST_CASE("on a low surface the map gives way to the picture, and keeps at least the phases' names") {
  CHECK(layout_of({0, 0, 1280, 720}, {}).map.h == 112);
  CHECK(layout_of({0, 0, 720, 450}, {}).map.h == phase_strip_height);
}

TEST_CASE("where only one panel fits, the one that was asked for last stays") {
  const Rect narrow{0, 0, 900, 600};
  CHECK(layout_of(narrow, {}).setup_folded);
  CHECK_FALSE(layout_of(narrow, {}).inspector_folded);
  const Layout asked = layout_of(narrow, {}, SidePanel::setup);
  CHECK_FALSE(asked.setup_folded);
  CHECK(asked.inspector_folded);
  const Layout tiny = layout_of({0, 0, 640, 360}, {});
  CHECK(tiny.setup_folded);
  CHECK(tiny.inspector_folded);
  CHECK_FALSE(layout_of({0, 0, 640, 360}, {}, SidePanel::setup).setup_folded);
}

TEST_CASE("a panel that the person folded stays a rail on any surface") {
  const Display folded = with_panel_folded({}, SidePanel::setup, true);
  CHECK(is_folded(layout_of({0, 0, 1920, 1080}, folded, SidePanel::setup), SidePanel::setup));
  CHECK(layout_of({0, 0, 1920, 1080}, folded).setup.w == rail_width);
}
