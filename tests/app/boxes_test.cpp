// Boxes: how they share room, and that nothing in them is cut or out of reach.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/boxes/box.hpp"
#include "app/platform/surfaces/offscreen.hpp"
#include "app/session/selecting.hpp"
#include "core/setup/edits.hpp"
#include "probe.hpp"
#include "scripted.hpp"
#include "sheet_app.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Draws a box once in a width, and says where parts that `mark` made were drawn.
struct Sheet {
  std::vector<Rect> at;
  float height = 0;

  Box mark(Room room, float high = 20) {
    const std::size_t i = at.size();
    at.emplace_back();
    return drawn(room, high, [this, i](Ui&, const Rect& r) { at[i] = r; });
  }
  void draw_in(float width, const std::function<Box(const Theme&)>& make) {
    SheetApp app{[&](FrameContext& frame) {
      const Box box = make(frame.ui.theme());
      height = height_of(box, frame.ui, width);
      draw(frame.ui, box, {10, 10, width, height});
    }};
    Offscreen surface(app, 900, 700);
    surface.frames(1);
  }
};

const auto narrow_words = [](const Theme& theme, const char* text) {
  return words(text, TextStyle::control, theme.text);
};

}  // namespace

TEST_CASE("a row gives what is left over to the parts that grow, and keeps those at its end there") {
  Sheet sheet;
  const Box whole = row({sheet.mark({40, 40}), sheet.mark({40, 40, 1}), sheet.mark({30, 30})}, 10);
  sheet.draw_in(300, [&](const Theme&) { return whole; });
  CHECK(sheet.at[0] == Rect{10, 10, 40, 20});
  CHECK(sheet.at[1] == Rect{60, 10, 210, 20});
  CHECK(sheet.at[2] == Rect{280, 10, 30, 20});

  Sheet ended;
  const Box apart = row({ended.mark({40, 40}), ended.mark({30, 30}).ended(), ended.mark({30, 30}, 40)}, 10);
  ended.draw_in(300, [&](const Theme&) { return apart; });
  CHECK(ended.at[0] == Rect{10, 20, 40, 20});  // in the middle of the highest
  CHECK(ended.at[1] == Rect{240, 20, 30, 20});
  CHECK(ended.at[2] == Rect{280, 10, 30, 40});
}

TEST_CASE("a row whose parts have too little room takes another line, unless it is to stay whole") {
  const auto lines = [](bool whole) {
    Sheet sheet;
    Box box = row({sheet.mark({100, 100}), sheet.mark({100, 100}), sheet.mark({100, 100}).ended()}, 10);
    box.whole = whole;
    sheet.draw_in(250, [&](const Theme&) { return box; });
    return sheet;
  };
  const Sheet broken = lines(false);
  CHECK(broken.at[1] == Rect{120, 10, 100, 20});
  CHECK(broken.at[2] == Rect{160, 32, 100, 20});  // still at the end
  CHECK(broken.height == 42);
  CHECK(lines(true).height == 20);
}

TEST_CASE("words break before they are cut, and a name ends before words break") {
  const auto height = [](float width, bool name_ends) {
    Sheet sheet;
    sheet.draw_in(width, [&](const Theme& theme) {
      Box name = narrow_words(theme, "a-name-without-any-blanks");
      return row({name_ends ? std::move(name).ending() : sheet.mark({150, 150}), narrow_words(theme, "of its score")});
    });
    return sheet.height;
  };
  CHECK(height(400, false) == 20);
  CHECK(height(150, true) == 20);
  CHECK(height(210, false) == 40);  // the words on two lines beside it
  CHECK(height(180, false) == 42);  // the words on a line below it
}

TEST_CASE("the columns of a grid are as wide in each row, and a column is as high as what is in it") {
  Sheet sheet;
  const Box table =
      grid(2, {sheet.mark({20, 20}), sheet.mark({50, 50, 1}), sheet.mark({80, 80}, 30), sheet.mark({10, 10})}, {8, 4});
  const Box whole = column({space(6), table, nothing(), sheet.mark({})}, 10);
  sheet.draw_in(200, [&](const Theme&) { return whole; });
  CHECK(sheet.at[0].w == 80);
  CHECK(sheet.at[1] == Rect{98, 26, 112, 20});
  CHECK(sheet.at[2] == Rect{10, 50, 80, 30});
  CHECK(sheet.at[3].x == 98);
  CHECK(sheet.at[4] == Rect{10, 90, 200, 20});
  CHECK(sheet.height == 100);
}

TEST_CASE("longer words are 40 % longer, and numbers stay as they are") {
  const Theme& dark = theme(ThemeName::dark);
  CHECK(lengthened(words("given by hand", TextStyle::control, dark.text)).text == "givenen byy handnd");
  CHECK(lengthened(words("−0.25", TextStyle::mono, dark.text)).text == "−0.25");
  CHECK(lengthened(column({words("größe", TextStyle::control, dark.text)})).of.front().text == "größeße");
}

TEST_CASE("a list is one stop of Tab, and the arrow keys lead through it") {
  std::string focused;
  const auto item = [&](std::string id) {
    return drawn({40, 40}, 20, [&focused, id](Ui& ui, const Rect& r) {
      if (ui.item(id, r).focused) focused = id;
    });
  };
  SheetApp app{[&](FrameContext& frame) {
    focused = "none";
    draw(frame.ui,
         column({item("before"), column({item("a"), row({item("b"), item("c")})}).as_list("of three"), item("after")}),
         {10, 10, 200, 200});
  }};
  Offscreen surface(app, 400, 300);
  surface.frames(1);
  const auto after = [&](Key key) {
    surface.key(key);
    surface.frames(2);
    return focused;
  };
  CHECK(after(Key::tab) == "before");
  CHECK(after(Key::tab) == "a");
  CHECK(after(Key::down) == "b");
  CHECK(after(Key::right) == "c");
  CHECK(after(Key::down) == "c");  // the last
  CHECK(after(Key::up) == "b");
  CHECK(after(Key::tab) == "after");
  surface.key(Chord{.key = Key::tab, .shift = true});
  surface.frames(2);
  CHECK(focused == "a");
}

namespace {

const TensorId of_each_kind[] = {TensorId::X,      TensorId::W_q,     TensorId::Q_heads,
                                 TensorId::scores, TensorId::weights, TensorId::output};

/// Scrolls through an area, and calls `look` at each stop.
void look_through(Scripted& person, const Rect& area, const std::function<void()>& look) {
  person.surface.move_mouse(area.center());
  for (int i = 0; i < 8; ++i) {
    look();
    person.surface.wheel(-6);
    person.surface.settle();
  }
  person.surface.wheel(60);
  person.surface.settle();
}

void check_words(Scripted& person, const Rect& area) {
  std::size_t seen = 0;
  look_through(person, area, [&] {
    for (const PlacedWords& each : person.surface.words()) {
      CAPTURE(each.text);
      CHECK_FALSE(each.cut);
      CHECK(each.rect.right() <= area.right() + 0.5f);
      ++seen;
    }
  });
  CHECK(seen > 20);
}

}  // namespace

TEST_CASE("in the inspector no words are cut: with words 40 % longer, and with type twice as large") {
  for (const bool large : {false, true}) {
    Session session = lecture_session("numpy-from-scratch");
    if (large) session = enlarged(std::move(session));
    Scripted person(std::move(session), 1280, 720);
    const float scale = large ? 2 : 1;
    person.app.memory().get<PanelsMemory>().asked_for = SidePanel::inspector;
    person.surface.lengthen_words();
    for (const TensorId tensor : of_each_kind) {
      CAPTURE(name(tensor));
      CAPTURE(large);
      Selecting(person.session()).select({tensor, 0, 0, 1, 1});
      person.session().show(View::pipeline);
      person.surface.settle();
      check_words(person, layout_of(person, 1280 / scale, 720 / scale).inspector);
    }
  }
}

TEST_CASE("in the setup panel no words are cut: with words 40 % longer, and with type twice as large") {
  for (const bool large : {false, true}) {
    CAPTURE(large);
    Session session = lecture_session("numpy-from-scratch");
    Setup changed = session.setup();
    changed.attention.temperature = 2;
    changed.attention.dropout = 0.1;
    changed.mask.kinds = {MaskKind::causal, MaskKind::window};
    CHECK(session.edit(changed).empty());
    if (large) session = enlarged(std::move(session));
    Scripted person(std::move(session), 1280, 720);
    const float scale = large ? 2 : 1;
    person.app.memory().get<PanelsMemory>().asked_for = SidePanel::setup;
    person.surface.lengthen_words();
    person.surface.settle();
    check_words(person, layout_of(person, 1280 / scale, 720 / scale).setup);
  }
}

TEST_CASE("a row of the setup keeps its height and its control's place when it begins to differ from the lecture") {
  Scripted person(lecture_session("numpy-from-scratch"), 1280, 1700);
  person.app.memory().get<PanelsMemory>().asked_for = SidePanel::setup;
  person.surface.settle();
  const auto places = [&] {
    std::map<std::string, Rect> all;
    for (const PlacedItem& item : person.surface.items())
      if (item.path.find("setup scroll/") != std::string::npos) all[item.path] = item.rect;
    return all;
  };
  const std::map<std::string, Rect> before = places();
  Setup changed = person.session().setup();
  changed.attention.temperature = 2;
  changed.attention.dropout = 0.1;
  changed.sizes.heads = 4;
  changed.sizes.kv_heads = 4;
  REQUIRE(person.session().edit(changed).empty());
  person.surface.settle();
  const std::map<std::string, Rect> after = places();
  CHECK(before.size() > 20);
  CHECK(after.size() > before.size());  // the buttons that reset
  for (const auto& [path, rect] : before) {
    CAPTURE(path);
    REQUIRE(after.contains(path));
    const Rect now = after.at(path);
    for (const float off : {now.x - rect.x, now.y - rect.y, now.w - rect.w, now.h - rect.h})
      CHECK(std::abs(off) < 0.01f);
  }
}

TEST_CASE("Tab leads through the setup from the top down") {
  Scripted person(lecture_session("numpy-from-scratch"), 1280, 720);
  person.app.memory().get<PanelsMemory>().asked_for = SidePanel::setup;
  person.surface.settle();
  float top = 0;
  std::size_t found = 0;
  for (const PlacedItem& item : person.surface.items()) {
    if (!item.path.starts_with("setup/setup scroll/") || !item.tab_stops) continue;
    CAPTURE(item.path);
    CHECK(item.rect.bottom() > top);
    top = item.rect.y;
    ++found;
  }
  CHECK(found >= 20);
}

TEST_CASE("Tab reaches everything in the inspector, from the top down") {
  Scripted person(lecture_session("numpy-from-scratch"), 1280, 720);
  const Rect area = layout_of(person, 1280, 720).inspector;
  for (const TensorId tensor : of_each_kind) {
    CAPTURE(name(tensor));
    Selecting(person.session()).select({tensor, 0, 0, 1, 1});
    person.session().show(View::pipeline);
    person.surface.settle();
    std::size_t found = 0;
    look_through(person, area, [&] {
      float top = 0;
      for (const PlacedItem& item : person.surface.items()) {
        if (!item.path.starts_with("right/inspector/") || item.path.ends_with("##scrollbar")) continue;
        CAPTURE(item.path);
        CHECK(item.tab_stops);
        CHECK(item.rect.bottom() > top);
        top = item.rect.y;
        ++found;
      }
    });
    CHECK(found > 4);
  }
}

TEST_CASE("with type twice as large, what brings the lesson's numbers back lies over nothing") {
  Scripted person(enlarged(lecture_session("numpy-from-scratch")), 1280, 720);
  Setup changed = person.session().setup();
  changed.attention.dropout = 0.1;
  REQUIRE(person.session().edit(changed).empty());
  person.session().show(View::pipeline);
  person.surface.settle();
  const auto reset = person.surface.item("story/reset");
  REQUIRE(reset);
  for (const PlacedItem& item : person.surface.items()) {
    if (item.path.find("story/") == std::string::npos || item.path.ends_with("story/reset")) continue;
    CAPTURE(item.path);
    const Rect both = item.rect.intersected(*reset);
    CHECK((both.w <= 0 || both.h <= 0));
  }
}
