// The top bar in every width, from a projector's down to the narrowest window.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

std::vector<std::string> bar_items(Scripted& person) {
  std::vector<std::string> names{"lecture", "step.previous", "step.play", "step.next",
                                 "present", "theme.toggle",  "shortcuts"};
  if (person.has_item("camera")) names.emplace_back("camera");
  if (person.has_item("view")) names.emplace_back("view");
  else
    for (int view = 0; view < 4; ++view) names.push_back("views/" + std::to_string(view) + "/tab");
  return names;
}

}  // namespace

TEST_CASE("nothing in the top bar stands on anything else or outside, however narrow the window") {
  Scripted person(lecture_session(), 1920, 720);
  for (int width : {1920, 1280, 1024, 900, 800, 720, 640, 560, 520, 480}) {
    CAPTURE(width);
    person.surface.resize(width, 500);
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

TEST_CASE("in a narrow window the views are one choice, and it works") {
  Scripted person(lecture_session(), 480, 500);
  person.surface.settle();
  REQUIRE(person.has_item("view"));
  CHECK_FALSE(person.has_item("views/0/tab"));
  person.click_item("view");
  person.press(Key::down);
  person.press(Key::down);
  person.press(Key::enter);
  CHECK(person.session().display().view == View::tokens);
}
