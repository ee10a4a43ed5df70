// A scripted person works every control with the mouse and with the keyboard.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/platform/surfaces/offscreen.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "tests/app/controls_desk.hpp"
#include "tests/app/sheet_app.hpp"

namespace headlight {
namespace {

TEST_CASE("controls: a button is pressed by a click, unless it is disabled or the mouse leaves it") {
  Desk desk;
  desk.surface.click(default_button);
  CHECK(desk.sheet.presses == 1);
  desk.surface.click(disabled_button);
  CHECK(desk.sheet.presses == 1);
  desk.surface.drag(default_button, {default_button.x, default_button.y + 60});
  CHECK(desk.sheet.presses == 1);
}

TEST_CASE("controls: the second click of a double click is for nothing that the first one has put there") {
  std::vector<std::string> pressed;
  std::string shown = "first";
  SheetApp app([&](FrameContext& frame) {
    if (!button(frame.ui, shown, {20, 20, 100, 30}, shown)) return;
    pressed.push_back(shown);
    if (shown == "first") shown = "second";
  });
  Offscreen surface(app, 200, 100);
  surface.settle();
  surface.double_click({60, 35});
  CHECK(pressed == std::vector<std::string>{"first"});
  surface.click({60, 35});  // and a click of its own counts
  CHECK(pressed == std::vector<std::string>{"first", "second"});
  surface.double_click({60, 35});  // both of a double click on what stays
  CHECK(pressed.size() == 4);
}

TEST_CASE("controls: a hint without words has no box, and one with a key alone has room for it") {
  std::string keys;
  SheetApp app([&](FrameContext& frame) {
    button(frame.ui, "one", {20, 20, 100, 30}, "One", {.kind = ButtonKind::quiet});
    frame.ui.tooltip(frame.ui.item("two", {20, 60, 100, 30}), "", keys);
  });
  Offscreen surface(app, 300, 200);
  surface.settle();
  const auto boxes = [&] {
    surface.move_mouse({60, 75});
    surface.wait(1);
    std::vector<Rect> found;
    for (const Drawn& drawn : surface.settled_drawing().drawn)
      if (const auto* const box = std::get_if<BoxShape>(&drawn.shape); box && box->r.y > 90) found.push_back(box->r);
    return found;
  };
  CHECK(boxes().empty());
  keys = "H";
  REQUIRE_FALSE(boxes().empty());
  CHECK(boxes().front().h >= 24);
}

TEST_CASE("controls: Tab walks through them, Enter and Space press, Shift+Tab goes back") {
  Desk desk;
  desk.tab(1);
  desk.surface.key(Key::enter);
  CHECK(desk.sheet.presses == 1);
  desk.tab(2);
  desk.surface.key(Key::enter);
  CHECK(desk.sheet.presses == 1);
  desk.surface.key(Chord{Key::tab, false, true, false});
  desk.surface.key(Chord{Key::tab, false, true, false});
  desk.surface.key(Key::space);
  CHECK(desk.sheet.presses == 2);
  CHECK(desk.left_over.empty());
}

TEST_CASE("controls: keys that no control wants stay for the actions") {
  Desk desk;
  desk.surface.key(Key::space);
  desk.surface.key(Key::left);
  REQUIRE(desk.left_over.size() == 2);
  CHECK(desk.left_over[0].chord == Chord{Key::space});
  CHECK(desk.left_over[1].chord == Chord{Key::left});
}

TEST_CASE("controls: a segment is chosen by a click or with the arrows") {
  Desk desk;
  desk.sheet.heads = 0;
  desk.surface.click(third_heads_segment);
  CHECK(desk.sheet.heads == 2);
  desk.tab(1);  // from the clicked segment to its note
  desk.surface.key(Chord{Key::tab, false, true, false});
  desk.surface.key(Key::right);
  CHECK(desk.sheet.heads == 3);
  desk.surface.key(Key::right);
  CHECK(desk.sheet.heads == 3);
  desk.surface.key(Key::left);
  CHECK(desk.sheet.heads == 2);
}

TEST_CASE("controls: the segment under the mouse is lit, and none beside it") {
  Desk desk;
  desk.sheet.heads = 0;
  const Image before = desk.surface.settled_picture();
  desk.surface.move_mouse(third_heads_segment);
  const Image after = desk.surface.settled_picture();
  CHECK(after.at(228, 563).r != before.at(228, 563).r);
  CHECK(after.at(194, 563).r == before.at(194, 563).r);
}

TEST_CASE("controls: tabs and toggles") {
  Desk desk;
  desk.surface.click(heads_tab);
  CHECK(desk.sheet.view == 1);
  desk.tab(1);  // and back, so that the keyboard is at the tabs
  desk.surface.key(Chord{Key::tab, false, true, false});
  desk.surface.type("t");
  CHECK(desk.sheet.view == 2);
  desk.surface.wait(2);
  desk.surface.type("p");
  CHECK(desk.sheet.view == 0);
  CHECK_FALSE(desk.sheet.biases);
  desk.surface.click(biases_toggle);
  CHECK(desk.sheet.biases);
  desk.surface.click(biases_toggle);
  CHECK_FALSE(desk.sheet.biases);
}

TEST_CASE("controls: a slider follows the mouse to both ends, and takes a typed value after Ctrl+click") {
  Desk desk;
  desk.surface.drag(temperature_track, {temperature_track.x - 300, temperature_track.y});
  CHECK(desk.sheet.temperature == 0.1);
  desk.surface.drag({160, 624}, {204, 624});
  CHECK(desk.sheet.temperature == doctest::Approx(1.3).epsilon(0.02));
  desk.surface.hold_ctrl(true);
  desk.surface.click(temperature_track);
  desk.surface.hold_ctrl(false);
  desk.surface.frames(3);
  desk.surface.type("0.75");
  desk.surface.key(Key::enter);
  CHECK(desk.sheet.temperature == 0.75);
  desk.surface.frames(3);
  CHECK(std::isinf(desk.surface.next_frame_in()));
}

TEST_CASE("controls: after Ctrl+click a value can be typed on") {
  Desk desk;
  desk.sheet.temperature = 0.5;
  desk.surface.hold_ctrl(true);
  desk.surface.click(temperature_track);
  desk.surface.hold_ctrl(false);
  desk.surface.frames(3);
  desk.surface.key(Key::end);
  desk.surface.type("5");
  desk.surface.key(Key::enter);
  CHECK(desk.sheet.temperature == 0.55);
}

TEST_CASE("controls: a typed value beyond the range changes nothing, and no more does nonsense") {
  Desk desk;
  const auto type_value = [&](std::string_view text) {
    desk.surface.double_click(stepper_value);
    desk.surface.frames(3);
    desk.surface.type(text);
    desk.surface.key(Key::enter);
    desk.surface.wait(0.5);  // so that the next click does not continue the double click
  };
  type_value("12");
  CHECK(desk.sheet.d_model == 12);
  for (const char* text : {"9999", "0", "13 cats", "nan"}) {
    type_value(text);
    CHECK(desk.sheet.d_model == 12);
  }
}

TEST_CASE("controls: a stepper steps and stops at its ends") {
  Desk desk;
  desk.sheet.d_model = 63;
  desk.surface.click(stepper_plus);
  CHECK(desk.sheet.d_model == 64);
  desk.surface.click(stepper_plus);
  CHECK(desk.sheet.d_model == 64);
}

TEST_CASE("controls: a text field is edited, takes the keys that type and leaves it with Enter") {
  Desk desk;
  desk.surface.click(seed_field);
  desk.surface.frames(2);
  desk.surface.key(Chord{Key::a, true, false, false});
  desk.surface.type("42");
  CHECK(desk.sheet.seed == "42");
  desk.surface.key(Key::backspace);
  CHECK(desk.sheet.seed == "4");
  desk.surface.key(Key::p);
  CHECK(desk.left_over.empty());
  desk.surface.key(Key::enter);
  desk.surface.frames(2);
  desk.surface.key(Key::p);
  CHECK(desk.left_over.back().chord == Chord{Key::p});
}

/// A text field alone, from {20, 20} on.
struct FieldDesk {
  std::string text;
  SheetApp app{[this](FrameContext& frame) { text_field(frame.ui, "field", {20, 20, 300, 28}, text); }};
  Offscreen surface{app, 400, 100};

  explicit FieldDesk(std::string before) : text(std::move(before)) {
    surface.frames(2);
    surface.click({200, 34});
    surface.frames(3);
  }
  void press(const Chord& chord, int times = 1) {
    for (int i = 0; i < times; ++i) surface.key(chord);
    surface.frames(2);
  }
};

TEST_CASE("controls: in a text field the caret goes from grapheme to grapheme, and each is deleted whole") {
  FieldDesk desk("a👩‍👩‍👧e\u0301दे");
  desk.press({Key::end});
  desk.press({Key::backspace});
  CHECK(desk.text == "a👩‍👩‍👧e\u0301");
  desk.press({Key::left}, 2);
  desk.surface.type("-");
  desk.surface.frames(2);
  CHECK(desk.text == "a-👩‍👩‍👧e\u0301");
  desk.press({Key::delete_forward});
  CHECK(desk.text == "a-e\u0301");
  desk.press({Key::z, true});
  CHECK(desk.text == "a-👩‍👩‍👧e\u0301");
}

TEST_CASE("controls: a text field takes emoji and accents that are typed, and copies and pastes them") {
  FieldDesk desk("");
  desk.surface.type("👩");
  desk.surface.frames(2);
  CHECK(desk.text == "👩");
  desk.surface.type("e");
  desk.surface.frames(2);
  desk.surface.type("\u0301");
  desk.surface.frames(2);
  desk.surface.type("x");
  desk.surface.frames(2);
  CHECK(desk.text == "👩e\u0301x");
  desk.press({Key::backspace}, 2);
  CHECK(desk.text == "👩");
  desk.surface.type("שלום 猫");
  desk.surface.frames(2);
  desk.press({Key::a, true});
  desk.press({Key::c, true});
  CHECK(desk.surface.clipboard() == "👩שלום 猫");
  desk.press({Key::end});
  desk.press({Key::v, true});
  CHECK(desk.text == "👩שלום 猫👩שלום 猫");
}

TEST_CASE("controls: what is pasted into a text field becomes one line, with spaces between its words") {
  FieldDesk desk("");
  for (const auto& [pasted, text] :
       {std::pair{"The old\nman cried.\r\nHe was\ttired.\n\n", "The old man cried. He was tired."},
        {"\n\t a \n b\n\n\nc ", " a  b c "},
        {"one  line", "one  line"},
        {"\r\n", ""}}) {
    desk.press({Key::a, true});
    desk.press({Key::backspace});
    desk.surface.clipboard();  // makes its context current
    ImGui::SetClipboardText(pasted);
    desk.press({Key::v, true});
    CHECK(desk.text == text);
  }
}

TEST_CASE("controls: Tab reaches a text field and goes on from it") {
  Desk desk;
  desk.surface.click(third_heads_segment);
  desk.tab(2);  // past the note
  desk.surface.frames(2);
  desk.surface.key(Chord{Key::a, true, false, false});
  desk.surface.type("7");
  CHECK(desk.sheet.seed == "7");
  desk.tab(1);
  desk.surface.type("8");
  CHECK(desk.sheet.seed == "7");
}

TEST_CASE("controls: a click goes through at once while a text field is being edited, whichever comes first") {
  Desk desk;
  for (Point elsewhere : {default_button, biases_toggle}) {
    desk.surface.click(seed_field);
    desk.surface.frames(2);
    desk.surface.click(elsewhere);
  }
  CHECK(desk.sheet.presses == 1);
  CHECK(desk.sheet.biases);
}

TEST_CASE("controls: Escape and a click give the keyboard back to the views") {
  Desk desk;
  for (int by_click : {0, 1}) {
    desk.tab(1);
    if (by_click) desk.surface.click({1000, 850});
    else desk.surface.key(Key::escape);
    desk.left_over.clear();
    desk.surface.key(Key::space);
    REQUIRE(desk.left_over.size() == 1);
  }
  CHECK(desk.sheet.presses == 0);
}

TEST_CASE("controls: hundreds of things at random break nothing") {
  Desk desk;
  std::uint32_t state = 7;
  const auto random = [&](std::uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  };
  const std::array keys{Key::tab,  Key::enter,     Key::space, Key::escape, Key::left, Key::right, Key::up,
                        Key::down, Key::backspace, Key::home,  Key::end,    Key::a,    Key::z};
  for (int i = 0; i < 300; ++i) {
    const Point at{static_cast<float>(random(1020)), 380 + static_cast<float>(random(320))};
    switch (random(8)) {
      case 0: desk.surface.move_mouse(at); break;
      case 1: desk.surface.press_mouse(); break;
      case 2: desk.surface.release_mouse(); break;
      case 3: desk.surface.wheel(static_cast<float>(random(7)) - 3); break;
      case 4: desk.surface.type(std::array{"1", "-", "é", ".5", "x"}[random(5)]); break;
      case 5: desk.surface.hold_ctrl(random(2) == 0); break;
      default: desk.surface.key(Chord{keys[random(keys.size())], random(6) == 0, random(4) == 0, false}); break;
    }
    if (random(3) == 0) desk.surface.frames();
    REQUIRE(desk.sheet.heads >= 0);
    REQUIRE(desk.sheet.heads < 4);
    REQUIRE(desk.sheet.lecture >= 0);
    REQUIRE(desk.sheet.lecture < 3);
    REQUIRE(desk.sheet.d_model >= 1);
    REQUIRE(desk.sheet.d_model <= 64);
    REQUIRE(desk.sheet.temperature >= 0.1);
    REQUIRE(desk.sheet.temperature <= 2.5);
  }
}

TEST_CASE("controls: a list opens, is chosen from with the mouse or the keys, and closes with Escape") {
  Desk desk;
  desk.surface.click(lecture_select);
  desk.surface.frames(2);
  desk.surface.click({540, 542 + 14 + 8 + 28 + 14});
  CHECK(desk.sheet.lecture == 1);
  desk.surface.frames(2);
  desk.surface.click(lecture_select);
  desk.surface.frames(2);
  desk.surface.key(Key::down);
  CHECK(desk.sheet.lecture == 2);
  desk.surface.key(Key::escape);
  desk.surface.frames(2);
  desk.surface.click({540, 542 + 14 + 8 + 14});
  CHECK(desk.sheet.lecture == 2);
}

TEST_CASE("controls: an open list ticks the choice that counts, and no other") {
  Desk desk;
  desk.surface.click(lecture_select);
  for (int chosen = 0; chosen < 3; ++chosen) {
    CAPTURE(chosen);
    CHECK(desk.sheet.lecture == chosen);
    const Image picture = desk.surface.settled_picture();
    for (int row = 0; row < 3; ++row) {
      CAPTURE(row);
      const auto place = desk.surface.item(std::to_string(row) + "/row");
      REQUIRE(place);
      const Rect left = Rect{place->x, place->y, 26, place->h}.inset(4, 6);
      int drawn = 0;
      for (int y = static_cast<int>(left.y); y < static_cast<int>(left.bottom()); ++y)
        for (int x = static_cast<int>(left.x); x < static_cast<int>(left.right()); ++x)
          drawn += picture.at(x, y) == picture.at(static_cast<int>(left.x), static_cast<int>(left.y)) ? 0 : 1;
      CHECK((drawn > 10) == (row == chosen));
    }
    desk.surface.key(Key::down);
  }
}

TEST_CASE("controls: letters choose from a list together only while they follow each other") {
  Desk desk;
  desk.surface.click(lecture_select);
  desk.surface.frames(2);
  desk.surface.type("l");
  CHECK(desk.sheet.lecture == 1);
  desk.surface.wait(2);
  desk.surface.type("e");  // no lecture begins with it
  CHECK(desk.sheet.lecture == 1);
  desk.surface.wait(2);
  desk.surface.type("l");
  CHECK(desk.sheet.lecture == 2);
  desk.surface.type("e");  // all begin with both
  CHECK(desk.sheet.lecture == 0);
}

TEST_CASE("controls: nothing is drawn while nothing happens, and a tooltip comes after a moment") {
  Desk desk;
  desk.surface.settle();
  CHECK(std::isinf(desk.surface.next_frame_in()));
  desk.surface.move_mouse({383, 414});
  desk.surface.frames(2);
  const Image before = desk.surface.picture();
  CHECK(desk.surface.next_frame_in() < 0.5);
  desk.surface.wait(0.6);
  CHECK(desk.surface.picture() != before);
  CHECK(std::isinf(desk.surface.next_frame_in()));
}

TEST_CASE("controls: a scroll area without room, or with next to none, draws and takes the mouse") {
  for (const float height : {-30.0f, 0.0f, 1.0f, 28.0f}) {
    for (const float content : {0.0f, 1000.0f}) {
      CAPTURE(height);
      CAPTURE(content);
      float top = 0;
      SheetApp app([&](FrameContext& frame) {
        const ScrollArea area(frame.ui, "list", {10, 10, 200, height}, content, frame.ui.theme().canvas);
        top = area.content().y;
      });
      Offscreen surface(app, 300, 200);
      surface.settle();
      surface.drag({204, 12}, {204, 60});
      surface.settle();
      CHECK(std::isfinite(top));
    }
  }
}

TEST_CASE("controls: a scroll area scrolls its content and hides what is outside from the mouse") {
  int pressed = -1;
  SheetApp app([&](FrameContext& frame) {
    Ui& ui = frame.ui;
    ScrollArea area(ui, "list", {10, 10, 200, 100}, 1000, ui.theme().canvas);
    for (int i = 0; i < 25; ++i) {
      ui.push_id(i);
      const Rect row{area.content().x, area.content().y + 40 * static_cast<float>(i), 180, 36};
      if (button(ui, "row", row, "row")) pressed = i;
      ui.pop_id();
    }
  });
  Offscreen surface(app, 300, 300);
  surface.click({50, 30});
  CHECK(pressed == 0);
  pressed = -1;
  surface.click({50, 150});
  CHECK(pressed == -1);
  surface.move_mouse({50, 60});
  surface.frames(2);
  surface.wheel(-2);
  surface.click({50, 30});
  CHECK(pressed == 3);
  surface.wheel(-1000);
  surface.click({50, 90});
  CHECK(pressed == 24);
}

TEST_CASE("controls: an eased value takes its time, or none when motion is reduced") {
  float value = 0;
  bool on = false;
  SheetApp app([&](FrameContext& frame) { value = frame.ui.eased("band", on ? 1 : 0, 0.08f); });
  Offscreen surface(app, 100, 100);
  surface.let_move();
  surface.frames(2);
  CHECK(value == 0);
  on = true;
  surface.frames(2);
  CHECK(value > 0.2f);
  CHECK(value < 0.8f);
  surface.settle();
  CHECK(value == 1);
  CHECK(std::isinf(surface.next_frame_in()));
  app.set_look({ThemeName::dark, 1, true});
  on = false;
  surface.frames(1);
  CHECK(value == 0);
}

TEST_CASE("controls: what is no longer drawn is forgotten, and of scrolled areas all but some") {
  int shown = 0;
  std::size_t remembered = 0;
  SheetApp app([&](FrameContext& frame) {
    frame.ui.push_id(shown);
    frame.ui.eased("band", 1, 0.08f);
    ScrollArea area(frame.ui, "rows", {0, 0, 100, 100}, 500, frame.ui.theme().panel);
    area.reveal({0, 400, 100, 20});
    frame.ui.pop_id();
    remembered = frame.ui.memory().eased.size() + frame.ui.memory().scroll.size();
  });
  Offscreen surface(app, 100, 100);
  for (shown = 0; shown < 300; ++shown) surface.frames(1);
  CHECK(remembered < 100);
}

}  // namespace
}  // namespace headlight
