// The top bar in every width, from a projector's down to the narrowest window.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/session/lesson.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/menus/context_menu.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// The buttons that every bar has, and those that a narrow one has in its menu.
constexpr std::array always{"logo", "lecture", "step.previous", "step.play", "step.next", "present", "shortcuts"};
constexpr std::array foldable{"file.open", "file.save", "edit.undo",    "edit.redo", "edit.history",
                              "palette",   "export",    "theme.toggle", "screenshot"};

std::vector<std::string> bar_items(Scripted& person) {
  std::vector<std::string> names(always.begin(), always.end());
  for (const char* name : {"file.open", "file.save", "edit.undo", "edit.redo", "edit.history", "palette", "export",
                           "theme.toggle", "screenshot", "menu"})
    if (person.has_item(std::string("top bar/") + name)) names.emplace_back(name);
  if (person.has_item("view")) names.emplace_back("view");
  else
    for (int view = 0; view < 4; ++view) names.push_back("views/" + std::to_string(view) + "/tab");
  return names;
}

}  // namespace

TEST_CASE("nothing in the top bar stands on anything else or outside, however narrow the window") {
  Scripted person(enlarged(lecture_session()), 1920, 720);
  for (int width : {1920, 1280, 1024, 900, 800, 720, 640, 560, 520, 480}) {
    CAPTURE(width);
    person.surface.resize(2 * width, 1000);
    person.surface.settle();
    const auto names = bar_items(person);
    for (const std::string& a : names) {
      CAPTURE(a);
      const Rect r = person.item(a);
      CHECK(r.x >= 0);
      CHECK(r.right() <= static_cast<float>(width));
      for (const std::string& b : names) {
        CAPTURE(b);
        if (a != b) CHECK(r.intersected(person.item(b)).empty());
      }
    }
  }
}

TEST_CASE("the tabs stay where they are in every step, whether or not it has a picture of its own") {
  for (const int width : {1280, 1440, 1920}) {
    CAPTURE(width);
    Scripted person(lecture_session("bank", 0), width, 720);
    const Rect before = person.item("views/1/tab");
    for (std::size_t step = 1; step < person.session().lesson().step_count(); ++step) {
      CAPTURE(step);
      Lesson(person.session()).go_to(step);
      person.surface.settle();
      CHECK(person.item("views/1/tab").x == before.x);
    }
  }
}

TEST_CASE("at 1280 every tool is in sight, and no word of the bar is cut") {
  for (const char* lecture : {"numpy-from-scratch", "behind-the-scenes", "udl-12-2", "valid-lengths", "shapes"}) {
    CAPTURE(lecture);
    Scripted person(lecture_session(lecture, 6), 1280, 720);
    for (const char* name : foldable) CHECK(person.has_item(std::string("top bar/") + name));
    for (const Drawn& drawn : person.surface.settled_drawing().drawn) {
      const auto* words = std::get_if<TextShape>(&drawn.shape);
      if (words == nullptr || words->baseline.y > top_bar_height) continue;
      CAPTURE(words->text);
      CHECK(words->text.find("…") == std::string::npos);
    }
  }
}

TEST_CASE("however narrow the window, every tool is in the bar or in its menu") {
  Scripted person(enlarged(lecture_session()), 1920, 720);
  for (int width : {1440, 1024, 800, 640, 480}) {
    CAPTURE(width);
    person.surface.resize(2 * width, 1000);
    person.surface.settle();
    std::vector<std::string_view> in_menu;
    if (person.has_item("top bar/menu")) {
      person.click_item("top bar/menu");
      for (const Action* action : person.app.memory().opened<ContextMenu>()->entries) in_menu.push_back(action->id);
      person.press(Key::escape);
    }
    for (const char* name : foldable) {
      CAPTURE(name);
      const bool listed = std::find(in_menu.begin(), in_menu.end(), name) != in_menu.end();
      CHECK(listed != person.has_item(std::string("top bar/") + name));
    }
  }
}

TEST_CASE("in a narrow window the views are one choice, and it works") {
  Scripted person(enlarged(lecture_session()), 960, 1000);
  person.surface.settle();
  REQUIRE(person.has_item("view"));
  CHECK_FALSE(person.has_item("views/0/tab"));
  person.click_item("view");
  person.press(Key::down);
  person.press(Key::down);
  person.press(Key::enter);
  CHECK(person.session().display().view == View::tokens);
}
