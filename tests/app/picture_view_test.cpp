// The picture of a lecture's step: what it shows and hides, and what hands do in it.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../picture_lesson.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/view_table.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/setup/edits.hpp"
#include "picture.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

Session opened(std::size_t step, bool presenting = false, ThemeName theme = ThemeName::light) {
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(picture_lesson, "a.md", "a", lecture_views()), step).empty());
  session.set_timed(false);
  Display display = session.display();
  display.presentation.presenting = presenting;
  display.appearance.theme = theme;
  session.set_display(display);
  return session;
}

std::vector<std::string> texts_of(Scripted& person) {
  std::vector<std::string> texts;
  for (const Drawn& drawn : person.surface.settled_drawing().drawn)
    if (const auto* const shape = std::get_if<TextShape>(&drawn.shape)) texts.push_back(shape->text);
  return texts;
}

std::ptrdiff_t count(Scripted& person, const std::string& text) {
  const auto texts = texts_of(person);
  return std::ranges::count(texts, text);
}

}  // namespace

TEST_CASE("pictures of steps look as they did when somebody found them good") {
  struct Look {
    const char* name;
    std::size_t step;
    bool presenting;
    bool answered;
    ThemeName theme;
  };
  for (const Look& look : {Look{"picture-sentence", 0, true, false, ThemeName::light},
                           Look{"picture-mirror", 1, true, false, ThemeName::light},
                           Look{"picture-mirror-answer", 1, true, true, ThemeName::dark},
                           Look{"picture-mirror-window", 1, false, true, ThemeName::light}}) {
    CAPTURE(look.name);
    Scripted person(opened(look.step, look.presenting, look.theme), 1280, 720);
    if (look.answered) Lesson(person.session()).show_answer();
    expect_picture(look.presenting ? person.surface.settled_picture() : person.picture_below_top_bar(), look.name);
  }
}

TEST_CASE("a step with a picture opens on it, and the view of a step without one is as before") {
  Session session = opened(0);
  CHECK(session.display().view == View::picture);
  Lesson(session).go_to(1);
  CHECK(session.display().view == View::picture);
  session.show(View::heads);
  CHECK(session.display().view == View::heads);
  session.show(View::picture);
  CHECK(session.display().view == View::picture);
  Lesson(session).close();
  session.show(View::picture);
  CHECK(session.display().view == View::pipeline);
  CHECK_FALSE(action_named("view.picture")->enabled(session));
}

TEST_CASE("a mirror hides what is asked in its second state alone, and joins equal weights after the answer") {
  Scripted person(opened(1, true), 1280, 720);
  CHECK(count(person, "?") == 6);  // four weights and two blends
  CHECK(count(person, "mostly") == 1);
  CHECK(count(person, "1.46") == 1);
  Lesson(person.session()).show_answer();
  CHECK(count(person, "?") == 0);
  CHECK(count(person, "mostly") == 2);
  CHECK(count(person, "water") == 3);  // two rows, and what the blend mostly is
  CHECK(count(person, "1.46") == 2);
  CHECK(count(person, "two of the four features") == 1);
}

TEST_CASE("cells of a picture are pointed at and pinned, and a click on a word asks for it") {
  Scripted person(opened(0), 1440, 900);
  person.click_item("weights/cells");
  CHECK(person.session().state().pinned);
  CHECK(person.session().cell().tensor == TensorId::weights);
  CHECK(person.session().cell().index[2] == 2);
  CHECK(count(person, "bank’s") == 2);
  person.press(Key::escape);
  person.click_item("word 1");
  CHECK(person.session().selection().row == 1);
  CHECK(count(person, "river’s") == 2);
  // The row of the words' second feature: a click selects it, and the query stays the step's.
  person.click_item("feature 1/cells");
  CHECK(person.session().cell().tensor == TensorId::X);
  CHECK(person.session().cell().index[2] == 1);
  CHECK(count(person, "bank’s") == 2);
  person.click_item("output[0,2,0]");
  CHECK(person.session().cell() == Cell{TensorId::output, {0, 2, 0}});
}

TEST_CASE("what is asked in a picture is told by no click on it") {
  Scripted person(opened(1), 1440, 900);
  CHECK(count(person, "0.4643") == 2);  // those of the state before
  person.click_item("1/weights/cells");
  CHECK(person.session().cell().tensor == TensorId::weights);
  CHECK(count(person, "0.4643") == 2);
  CHECK_FALSE(person.session().lesson().answer_state().guess);  // there are choices to choose from
  person.press(Key::escape);
  person.surface.move_mouse(person.item("output[0,2,0]").center());
  person.surface.settle();
  person.surface.wait(1);
  CHECK(count(person, "1.46") == 1);
  Lesson(person.session()).show_answer();
  CHECK(count(person, "0.4643") >= 4);
}

TEST_CASE("a link adds a word to the sentence, and takes it back when it is followed again") {
  Session session = opened(0);
  const Setup before = session.setup();
  const Link link = *parse_link("set:tokens += {today = [0, 0, 0, 1]}");
  CHECK_FALSE(is_set(session, link));
  CHECK(Lesson(session).follow(link).empty());
  CHECK(session.setup().tokens.back() == "today");
  CHECK(session.setup().sizes.query_length == 5);
  CHECK(is_set(session, link));
  CHECK(Lesson(session).follow(link).empty());
  CHECK(session.setup() == before);
}

TEST_CASE("a picture with words of other lengths and a small window still draws") {
  for (const auto& [width, height] :
       {std::pair{1280, 720}, std::pair{960, 540}, std::pair{640, 360}, std::pair{1920, 1080}}) {
    for (const bool presenting : {false, true}) {
      Scripted person(opened(1, presenting), width, height);
      person.session().edit(with_added_token(person.session().setup(), "unquestionably", {0, 1, 0, 0}));
      person.surface.settle();
      CHECK(person.session().display().view == View::picture);
    }
  }
}
