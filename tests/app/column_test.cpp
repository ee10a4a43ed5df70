// A window as small as a phone's, upright or sideways: read on a small screen and used with a finger.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <variant>

#include "app/session/selecting.hpp"
#include "app/session/state/step_words.hpp"
#include "core/setup/edits.hpp"
#include "scripted.hpp"

using namespace headlight;
using headlight::testing::enlarged;
using headlight::testing::lecture_session;
using headlight::testing::Scripted;

namespace {

constexpr int phone_width = 390, phone_height = 844;
constexpr int width_sideways = 844, height_sideways = 390;

struct Phone : Scripted {
  explicit Phone(std::string_view lecture, std::size_t step = 0, int high = phone_height)
      : Phone(lecture_session(lecture, step), high) {}
  Phone(Session session, int high, int wide = phone_width) : Scripted(std::move(session), wide, high) {}

  bool shows(const std::string& words) {
    std::string all;
    for (const Drawn& drawn : surface.settled_drawing().drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape)) all += text->text + " ";
    return all.find(words) != std::string::npos;
  }
  const AskedQuestion& question() { return *session().step_words()->question; }
};

Phone sideways(std::string_view lecture, std::size_t step = 0) {
  return {lecture_session(lecture, step), height_sideways, width_sideways};
}

/// What a picture is made of is as large as the picture allows, and links are in lines of words.
bool is_in_picture_or_words(const std::string& path) {
  return path.find("centre/") != std::string::npos || path.ends_with("/link") || path.ends_with("##scrollbar");
}

void check_type(Phone& phone) {
  for (const Drawn& drawn : phone.surface.settled_drawing().drawn) {
    const auto* const text = std::get_if<TextShape>(&drawn.shape);
    if (text == nullptr || text->script != Script::normal) continue;
    CAPTURE(text->text);
    CHECK(text_size(text->style) >= least_lesson_type);
  }
}

/// Whether the heading of a card ends before its cross.
void check_heading(Phone& phone) {
  for (const Drawn& drawn : phone.surface.settled_drawing().drawn) {
    const auto* const text = std::get_if<TextShape>(&drawn.shape);
    if (text == nullptr || text->style != TextStyle::heading) continue;
    if (text->baseline.y > phone.item("close").bottom()) continue;  // below the heading
    CAPTURE(text->text);
    CHECK(text->baseline.x + text->width <= phone.item("close").x);
  }
}

/// Whether everything can be tapped, but what `is_left_out`; returns how much that is.
template <class LeftOut>
std::size_t check_reach(Phone& phone, float wide, LeftOut&& is_left_out) {
  std::size_t count = 0;
  for (const PlacedItem& item : phone.surface.items()) {
    if (item.path.ends_with("##scrollbar")) continue;
    CAPTURE(item.path);
    CHECK(item.rect.x >= -1);
    CHECK(item.rect.right() <= wide + 1);
    if (is_left_out(item.path)) continue;
    CHECK(item.rect.h >= 44);
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("below 700 pixels across or 450 down a window is used as a phone, whatever the size of its type") {
  CHECK(Phone("bank", 0).has_item("lesson/press"));
  CHECK(Scripted(lecture_session("bank"), 699, 600).has_item("lesson/press"));
  CHECK(Scripted(lecture_session("bank"), 1200, 449).has_item("lesson/press"));
  CHECK_FALSE(Scripted(lecture_session("bank"), 700, 450).has_item("lesson/press"));
  CHECK_FALSE(Scripted(enlarged(lecture_session("bank")), 1000, 900).has_item("lesson/press"));
}

TEST_CASE("in no step is type smaller than 15 pixels, or anything to tap lower than 44 or outside the window") {
  // So high that nothing has to be scrolled to.
  Phone phone(lecture_session("bank"), 2600, phone_width);
  for (const auto& lecture : phone.session().lectures()) {
    if (lecture->id == "shapes" || lecture->id == "trained") continue;  // large; their words are like the others'
    for (std::size_t i = 0; i < lecture->steps.size(); ++i) {
      REQUIRE(Lesson(phone.session()).open(lecture, i).empty());
      for (const auto& [wide, high] : {std::pair{phone_width, 2600}, std::pair{width_sideways, height_sideways}}) {
        CAPTURE(wide);
        CAPTURE(lecture->id);
        CAPTURE(i);
        phone.surface.resize(wide, high);
        check_type(phone);
        CHECK(check_reach(phone, static_cast<float>(wide), is_in_picture_or_words) >= 4);
      }
    }
  }
}

TEST_CASE("sideways the picture is beside the words, and the buttons are above them") {
  Phone phone = sideways("numpy-from-scratch", 7);
  CHECK(phone.item("lesson/press").bottom() < 64);
  CHECK(phone.item("question/hint").right() < 0.5f * width_sideways);
  for (const Drawn& drawn : phone.surface.settled_drawing().drawn) {
    const auto* const text = std::get_if<TextShape>(&drawn.shape);
    if (text != nullptr && text->text == "down") CHECK(text->baseline.x > 0.4f * width_sideways);
  }
  phone.click_item("lesson/on");
  CHECK(phone.session().lesson().at.index == 8);
  phone.click_item("lesson/back");
  CHECK(phone.session().lesson().at.index == 7);
}

TEST_CASE("sideways a sheet covers the words and leaves the picture, and a tap there closes it") {
  Phone phone = sideways("numpy-from-scratch", 4);
  Selecting(phone.session()).pin(phone.session().cell());
  phone.surface.settle();
  CHECK(phone.item("explanation/close").right() < 0.5f * width_sideways);
  CHECK(phone.shows("Where it comes from"));
  phone.click({700, 200});
  CHECK_FALSE(phone.session().state().pinned);
  phone.click_item("lesson/menu");
  REQUIRE(phone.scroll_to("context menu/entries/panel.setup", {60, 100, 100, 100}));
  phone.click_item("context menu/entries/panel.setup");
  REQUIRE(phone.has_item("setup sheet/close"));
  CHECK(phone.item("setup sheet/close").right() < 0.5f * width_sideways);
  phone.click_item("setup sheet/close");
  CHECK_FALSE(phone.has_item("setup sheet/close"));
}

TEST_CASE("what was tapped shows no tooltip, as it does where a mouse rests") {
  for (const bool by_finger : {false, true}) {
    CAPTURE(by_finger);
    Phone phone("bank");
    if (by_finger) phone.surface.use_finger();
    phone.click_item("lesson/share");
    phone.surface.wait(1);
    CHECK(phone.shows(std::string(action_named("file.copy_link")->title)) == !by_finger);
  }
}

TEST_CASE("a question is answered by finger: a choice, the answer, and on") {
  Phone phone("bank", 0);
  while (phone.session().lesson().question() == nullptr ||
         phone.session().lesson().question()->kind != Question::Kind::choice)
    Lesson(phone.session()).step_by(1);
  phone.surface.settle();
  const std::size_t step = phone.session().lesson().at.index;
  CHECK(phone.shows("Show the answer"));
  REQUIRE(phone.scroll_to("question/1/choice", phone.item("lesson/press").moved(0, -300)));
  phone.click_item("question/1/choice");
  const AnswerState said = phone.session().lesson().answer_state();
  const auto second = static_cast<double>(phone.session().step_words()->question->order[1]);
  CHECK((said.shown ? said.guess : said.missed) == second);
  if (phone.session().lesson().asks()) phone.click_item("lesson/press");
  CHECK_FALSE(phone.session().lesson().asks());
  CHECK(phone.shows("Next step"));
  phone.click_item("lesson/press");
  CHECK(phone.session().lesson().at.index == step + 1);
  phone.click_item("lesson/back");
  CHECK(phone.session().lesson().at.index == step);
}

TEST_CASE("the large button scrolls to a question that is out of sight, and never passes an answer that is") {
  Phone phone("bank", 0, 520);
  while (phone.session().lesson().question() == nullptr) Lesson(phone.session()).step_by(1);
  phone.surface.settle();
  const std::size_t step = phone.session().lesson().at.index;
  REQUIRE_FALSE(phone.has_item("question/0/choice"));
  phone.click_item("lesson/press");
  CHECK(phone.has_item("question/0/choice"));
  CHECK(phone.session().lesson().asks());
  for (int taps = 0; phone.session().lesson().asks() && taps < 4; ++taps) phone.click_item("lesson/press");
  CHECK_FALSE(phone.session().lesson().asks());
  CHECK(phone.session().lesson().at.index == step);
  for (int taps = 0; phone.shows("See the answer") && taps < 4; ++taps) phone.click_item("lesson/press");
  CHECK(phone.session().lesson().at.index == step);
  CHECK(phone.shows("Next step"));
  phone.click_item("lesson/press");
  CHECK(phone.session().lesson().at.index == step + 1);
}

TEST_CASE("what is open over the lesson is what going back closes, before it goes to the step before") {
  Phone phone("bank", 2);
  CHECK(phone.app.ways_back().covers == 0);
  CHECK(phone.app.ways_back().steps == 2);
  phone.click_item("lesson/menu");
  CHECK(phone.app.ways_back().covers == 1);
  phone.click_item("context menu/panel.setup");
  CHECK(phone.app.ways_back().covers == 1);
  phone.press(Key::escape);
  CHECK(phone.app.ways_back().covers == 0);
  phone.app.step_back();
  phone.surface.settle();
  CHECK(phone.session().lesson().at.index == 1);
  CHECK(phone.app.ways_back().count() == 1);
}

TEST_CASE("no drag of a finger changes a number of the picture, and one of a mouse does") {
  for (const bool by_finger : {false, true}) {
    CAPTURE(by_finger);
    Phone phone("numpy-from-scratch", 1);
    if (by_finger) phone.surface.use_finger();
    bool takes = false;
    for (float y = 80; y < 700; y += 20) {
      for (float x = 20; x < 380; x += 20) {
        phone.surface.move_mouse({x, y});
        phone.surface.frames(2);
        takes |= phone.app.drag_use() == DragUse::any;
      }
    }
    CHECK(takes == !by_finger);
  }
}

TEST_CASE("a number that is tapped opens its explanation as a sheet, and a tap above it closes it") {
  Phone phone("numpy-from-scratch", 4);
  CHECK_FALSE(phone.has_item("explanation/close"));
  Selecting(phone.session()).pin(phone.session().cell());
  phone.surface.settle();
  REQUIRE(phone.has_item("explanation/close"));
  CHECK(phone.item("explanation/close").h >= 44);
  CHECK(phone.shows("Where it comes from"));
  phone.click({180, 100});
  CHECK_FALSE(phone.session().state().pinned);
  CHECK_FALSE(phone.has_item("explanation/close"));
  Selecting(phone.session()).pin(phone.session().cell());
  phone.surface.settle();
  phone.click_item("explanation/close");
  CHECK_FALSE(phone.session().state().pinned);
}

TEST_CASE("the column scrolls, begins each step at its top, and its menu leads to everything else") {
  Phone phone("numpy-from-scratch", 7, 500);
  const std::string title = phone.session().lesson().step()->title;
  CHECK(phone.shows(title));
  phone.surface.move_mouse({200, 120});
  phone.surface.wheel(-20);
  CHECK_FALSE(phone.shows(title));
  phone.click_item("lesson/on");
  CHECK(phone.shows(phone.session().lesson().step()->title));
  phone.click_item("lesson/menu");
  CHECK(phone.item("context menu/entries/view.heads").h >= 44);
  phone.surface.move_mouse({100, 300});
  phone.surface.wheel(-20);
  CHECK(phone.item("context menu/entries/palette").right() <= phone_width);
  phone.click_item("context menu/entries/palette");
  CHECK(phone.session().display().overlay == Overlay::palette);
}

TEST_CASE("the column's menu has the other views") {
  Phone phone("numpy-from-scratch", 7);
  const View before = phone.session().display().view;
  phone.click_item("lesson/menu");
  CHECK_FALSE(phone.has_item("context menu/view." + std::string(info(before).word)));
  CHECK_FALSE(phone.has_item("context menu/view.learn"));
  phone.click_item("context menu/view.heads");
  CHECK(phone.session().display().view == View::heads);
}

namespace {

/// The panel of a setup with a bit of everything.
Session varied_session(std::string_view lecture) {
  Session session = lecture_session(lecture);
  Setup setup = session.setup();
  if (!setup.mask.has(MaskKind::custom)) setup = with_mask_kind(setup, MaskKind::custom, true);
  setup = with_blocked(setup, {{0, 1}}, true);
  session.edit(setup);
  return session;
}

}  // namespace

TEST_CASE("the setup panel comes as a sheet, in which nothing is too small to read or to tap") {
  for (const std::string_view lecture : {"bank", "numpy-from-scratch", "masks", "valid-lengths", "learning", "where"}) {
    CAPTURE(lecture);
    Phone phone(varied_session(lecture), 3400);
    phone.click_item("lesson/menu");
    phone.click_item("context menu/panel.setup");
    if (phone.has_item("random.draws/draws")) phone.click_item("random.draws/draws");
    std::size_t tapped = 0;
    check_type(phone);
    for (const PlacedItem& item : phone.surface.items()) {
      if (!item.path.starts_with("setup sheet") || item.path.ends_with("##scrollbar")) continue;
      CAPTURE(item.path);
      CHECK(item.rect.h >= 44);
      CHECK(item.rect.x >= -1);
      CHECK(item.rect.right() <= phone_width + 1);
      if (item.path.ends_with("/label")) continue;  // only says more about itself
      CHECK(item.rect.w >= 44);
      ++tapped;
    }
    CHECK(tapped > 15);
  }
}

TEST_CASE("the sheet of the setup is worked by finger, and what it changes can be undone") {
  Phone phone("numpy-from-scratch", 0, 3400);
  const auto setup = [&]() -> const Setup& { return phone.session().setup(); };
  const Setup before = setup();
  phone.click_item("lesson/menu");
  phone.click_item("context menu/panel.setup");
  phone.click_item("sizes.batch/plus");
  CHECK(setup().sizes.batch == before.sizes.batch + 1);
  phone.click_item("setup sheet/setup scroll/Paint");
  REQUIRE(setup().mask.has(MaskKind::custom));
  const Rect grid = phone.item("setup scroll/grid");
  phone.surface.drag({grid.x + 5, grid.y + 5}, {grid.x + 60, grid.y + 5});
  phone.surface.settle();
  CHECK_FALSE(setup().mask.blocked.empty());
  phone.click_item("tokens/add");
  phone.retype("one two three");
  phone.press(Key::enter);
  CHECK(setup().tokens == std::vector<std::string>{"one", "two", "three"});
  while (!(setup() == before)) {
    REQUIRE(phone.session().can_undo());
    phone.run("edit.undo");
  }
}

TEST_CASE(
    "the sheet of the setup closes by its cross, by Escape, and when its head is pulled down; not by a short pull") {
  Phone phone("bank");
  const auto open = [&] {
    phone.click_item("lesson/menu");
    phone.click_item("context menu/panel.setup");
    REQUIRE(phone.has_item("setup sheet/close"));
    CHECK(phone.item("setup sheet/head").y <= 0);
  };
  const auto pull = [&](float by) {
    const Point head = phone.item("setup sheet/head").center();
    phone.surface.drag(head, head + Point{0, by});
    phone.surface.settle();
  };
  open();
  phone.click_item("setup sheet/close");
  CHECK_FALSE(phone.has_item("setup sheet/close"));
  open();
  phone.press(Key::escape);
  CHECK_FALSE(phone.has_item("setup sheet/close"));
  open();
  pull(40);
  CHECK(phone.has_item("setup sheet/close"));
  CHECK(phone.item("setup sheet/head").y <= 0);
  pull(300);
  CHECK_FALSE(phone.has_item("setup sheet/close"));
}

TEST_CASE("on a phone the palette leads to the control of a key, and Escape closes it before the sheet behind it") {
  Phone phone("numpy-from-scratch");
  phone.run("palette");
  phone.type("setup panel");
  phone.press(Key::enter);
  REQUIRE(phone.has_item("setup sheet/close"));
  phone.run("palette");
  phone.press(Key::escape);
  CHECK(phone.session().display().overlay == Overlay::none);
  CHECK(phone.has_item("setup sheet/close"));
  phone.press(Key::escape);
  CHECK_FALSE(phone.has_item("setup sheet/close"));
}

TEST_CASE("on a phone the panel beside a view is a sheet too") {
  Phone phone("numpy-from-scratch", 15);
  phone.click_item("lesson/menu");
  phone.click_item("context menu/view.heads");
  phone.click_item("lesson/menu");
  phone.click_item("context menu/panel.inspector");
  REQUIRE(phone.has_item("explanation/close"));
  const Rect pin = phone.item("explanation/panel/pin"), close = phone.item("explanation/close");
  CHECK(pin.h >= 44);
  CHECK(pin.right() <= close.x);
  phone.click_item("explanation/close");
  CHECK_FALSE(phone.has_item("explanation/close"));
}

TEST_CASE("on a phone a number of the setup is played with, in a strip above the buttons") {
  Phone phone("numpy-from-scratch");
  phone.click_item("lesson/menu");
  phone.click_item("context menu/panel.setup");
  phone.click_item("sizes.batch/play");
  CHECK_FALSE(phone.has_item("setup sheet/close"));
  REQUIRE(phone.has_item("play/number/track"));
  for (const std::string_view item :
       {"play/number/track", "play/number/value", "play/sweep", "play/close", "play/speed"}) {
    CAPTURE(item);
    CHECK(phone.item(item).h >= 44);
    CHECK(phone.item(item).w >= 44);
    CHECK(phone.item(item).right() <= phone_width);
    CHECK(phone.item(item).bottom() <= phone.item("lesson/press").y);
  }
  phone.click_item("play/close");
  CHECK_FALSE(phone.has_item("play/number/track"));
}

TEST_CASE("on a phone the first page is in one column, upright and sideways, and all of it can be reached") {
  for (const auto& [wide, high] : {std::pair{phone_width, phone_height}, std::pair{width_sideways, height_sideways}}) {
    CAPTURE(wide);
    Phone phone(lecture_session("bank"), high, wide);
    phone.run("file.start");
    check_type(phone);
    CHECK(phone.has_item("go on"));
    const Rect page{0, 0, static_cast<float>(wide), static_cast<float>(high)};
    REQUIRE(phone.scroll_to("page/paste", page));
    REQUIRE(phone.scroll_to("page/course", page));
    const Rect path = phone.item("page/course");
    phone.click({path.right() - 8, path.y + 8});
    REQUIRE(phone.scroll_to("course/9/lecture", page));
    phone.click_item("course/9/lecture");
    CHECK(phone.session().lesson().lecture()->id == phone.session().lectures()[9]->id);
  }
}

TEST_CASE("the card that says why a file was refused is as high as its words on a phone") {
  Phone phone("masks");
  phone.surface.drop({"/nowhere/odd.toml"});
  phone.surface.settle();
  REQUIRE(phone.shows("odd.toml"));
  CHECK_FALSE(phone.has_item("list/##scrollbar"));
}

TEST_CASE("on a narrow phone the first page has its titles whole") {
  Phone phone(lecture_session("masks"), 2600, 360);
  phone.session().request(OpenStart{});
  phone.surface.settle();
  for (const auto& lecture : phone.session().lectures()) {
    CAPTURE(lecture->title);
    CHECK(phone.shows(lecture->title));
  }
}

TEST_CASE("what is asked in front of the column serves a finger too") {
  for (const auto& [wide, high] : {std::pair{phone_width, phone_height}, std::pair{width_sideways, height_sideways}}) {
    for (const std::string_view card : {"file.start", "file.open", "export", "appearance", "palette"}) {
      CAPTURE(wide);
      CAPTURE(card);
      Phone phone(lecture_session("bank"), high, wide);
      phone.run(card);
      check_type(phone);
      if (phone.has_item("close")) check_heading(phone);
      const auto is_behind = [](const std::string& path) { return path.starts_with("lesson"); };
      CHECK(check_reach(phone, static_cast<float>(wide), is_behind) > 3);
    }
  }
}
