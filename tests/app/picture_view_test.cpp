// The picture of a lecture's step: what it shows and hides, and what hands do in it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "pictured_step.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

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

TEST_CASE("a step with a picture opens on it, and the view of a step without one is as before") {
  Session session = pictured_step(0);
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
  Scripted person(pictured_step(1, true), 1280, 720);
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
  Scripted person(pictured_step(0), 1440, 900);
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
  // With one head and a W_o that changes nothing, the blend is explained as what it is.
  person.click_item("context[0,0,2,0]");
  CHECK(person.session().cell() == Cell{TensorId::context, {0, 0, 2, 0}});
}

TEST_CASE("a word of the picture answers the step that asks for one, and shows its row where it doesn't") {
  Scripted person(in_lesson(lecture_session("bank", 2)), 1280, 720);
  REQUIRE(person.session().lesson().asks());
  const auto marks = count(person, "?");  // of the four cells, and of what is asked in words
  person.click_item("word 3");
  CHECK(person.session().lesson().answer_state().missed == 3.0);
  CHECK(person.session().selection().row == 2);  // the picture is still about the step's word
  CHECK(person.session().lesson().asks());
  person.click_item("word 0");
  CHECK_FALSE(person.session().lesson().asks());
  CHECK(count(person, "?") <= marks - 4);
  person.click_item("word 1");
  CHECK(person.session().selection().row == 1);
}

TEST_CASE("the reading line tells no number that depends on what the step asks about") {
  Scripted person(in_lesson(lecture_session("bank", 2)), 1280, 720);
  Selecting(person.session()).pin(Cell{TensorId::weights, {0, 0, 2, 2}});
  const auto texts = texts_of(person);
  const auto starts = [&](std::string_view words) {
    return std::ranges::any_of(texts, [&](const std::string& text) { return text.starts_with(words); });
  };
  CHECK(starts(" looks at bank: ?"));
  CHECK(starts("It depends on what the step asks about."));
}

TEST_CASE("the sign of a guess stands over every frame around its cell") {
  Scripted person(in_lesson(lecture_session("bank", 2)), 1366, 768);
  person.click_item("word 1");
  const DisplayList drawing = person.surface.settled_drawing();
  const auto sign = std::find_if(drawing.drawn.rbegin(), drawing.drawn.rend(), [](const Drawn& drawn) {
    const auto* const disc = std::get_if<CircleShape>(&drawn.shape);
    return disc && disc->radius == 9 && disc->width == 0;
  });
  REQUIRE(sign != drawing.drawn.rend());
  const Point center = std::get<CircleShape>(sign->shape).center;
  // What is drawn after it: no frame whose edge crosses it.
  for (auto later = sign.base(); later != drawing.drawn.end(); ++later) {
    const auto* const box = std::get_if<BoxShape>(&later->shape);
    if (!box || box->width == 0) continue;
    CHECK_FALSE((box->r.outset(9).contains(center) && !box->r.inset(9).contains(center)));
  }
}

TEST_CASE("what is asked in a picture is told by no click on it") {
  Scripted person(pictured_step(1), 1440, 900);
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
  Session session = pictured_step(0);
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
      Scripted person(pictured_step(1, presenting), width, height);
      person.session().edit(with_added_tokens(person.session().setup(), {{"unquestionably", {{0, 1, 0, 0}}}}));
      person.surface.settle();
      CHECK(person.session().display().view == View::picture);
    }
  }
}

TEST_CASE("a blend that is no number has the colour of zero") {
  const auto colours = [](double scale, bool zeros) {
    Session session = pictured_step(0);
    Setup setup = session.setup();
    setup.attention.scale = scale;
    if (zeros)
      setup.values.set(TensorId::W_v, {}, GivenNumbers(Tensor::zeros(Precision::float64, shape(TensorId::W_v, setup))));
    REQUIRE(session.edit(setup).empty());
    Scripted person(std::move(session), 1440, 900);
    std::set<std::array<int, 3>> found;
    for (const Drawn& drawn : person.surface.settled_drawing().drawn)
      if (const auto* const box = std::get_if<BoxShape>(&drawn.shape);
          box != nullptr && box->r.w == 2 && box->width == 0)
        found.insert({box->color.r, box->color.g, box->color.b});
    return found;
  };
  const auto of_zeros = colours(1, true), of_none = colours(1e308, false);
  REQUIRE(of_zeros.size() == 1);
  CHECK(of_none == of_zeros);
}

TEST_CASE("a curve is dragged, and its number is one step of undo") {
  Scripted person(pictured_step(2), 1440, 900);
  CHECK(count(person, "the, flooded") + count(person, "flooded, the") == 1);  // no weight at a low temperature
  CHECK(count(person, "Temperature 1") == 1);
  CHECK(count(person, "10⁶") == 1);
  const Rect curve = person.item("curve");
  person.surface.drag({curve.x + 0.2f * curve.w, curve.center().y}, {curve.x + 0.99f * curve.w, curve.center().y});
  person.surface.settle();
  CHECK(person.session().setup().attention.temperature > 1e5);
  CHECK(count(person, "0.25") == 1);  // all four weights are even
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.session().setup().attention.temperature == 1);
}

TEST_CASE("lines of several setups show while a question asks which is which, and their names with the answer") {
  const std::string asks = R"lesson(+++
title = "Two scales"
[setup]
[setup.random]
draws = ["seed 0", "X normal", "W_q normal", "W_k normal"]
+++
## Which is which?
```step
cell = "weights[0,0,2,1]"
[picture]
kind = "curve"
play = "temperature=1..5"
watch = ["max(weights[0,0,2])"]
setups = ["attention.scale=none", "values.W_q[:]=0"]
labels = ["unscaled", "even"]
```
Two lines.
```question
ask = "Which is higher?"
choices = ["unscaled", "even"]
answer = "0"
```
)lesson";
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(asks, "a.md", "a", lecture_views())).empty());
  session.set_timed(false);
  Scripted person(std::move(session), 1280, 720);
  const auto lines = [&] {
    std::vector<std::vector<Point>> found;
    for (const Drawn& drawn : person.surface.settled_drawing().drawn)
      if (const auto* const line = std::get_if<PathShape>(&drawn.shape); line != nullptr && line->points.size() == 41)
        found.push_back(line->points);
    return found;
  };
  const auto named = [&](const std::string& name) {
    return std::ranges::count_if(texts_of(person), [&](const std::string& text) { return text.ends_with(name); });
  };
  CHECK(lines().size() == 2);
  const std::ptrdiff_t choices = named("even");
  CHECK(named("unscaled") == choices);
  Lesson(person.session()).show_answer();
  person.surface.settle();
  REQUIRE(lines().size() == 2);
  CHECK(named("unscaled") > choices);
  // Each is of a setup of its own: one falls with the temperature, the other has nothing to fall from.
  CHECK(lines()[0].front().y < lines()[0].back().y - 50);
  CHECK(lines()[1].front().y == doctest::Approx(lines()[1].back().y));
  // An edit of the setup that is shown leaves them as they are.
  const auto before = lines();
  Setup other = person.session().setup();
  other.attention.scale = NoScale{};
  REQUIRE(person.session().edit(other).empty());
  person.surface.settle();
  CHECK(lines().front().front().y == before.front().front().y);
}

TEST_CASE("arrows hide what is asked, and show as many dot products as keys") {
  Scripted person(pictured_step(3, true), 1280, 720);
  CHECK(count(person, "dot product") == 1);
  CHECK(count(person, "?") == 1);
  Lesson(person.session()).show_answer();
  CHECK(count(person, "?") == 0);
  const Trace& trace = person.session().trace();
  // One pair turned by 0, 1, 2, 3 radians; both weights are twice the word.
  for (Index key = 0; key < 4; ++key)
    CHECK(trace.value({TensorId::dot_products, {0, 0, 0, key}}) ==
          doctest::Approx(4 * std::cos(static_cast<double>(key))));
  person.click_item("dot product 2/cells");
  CHECK(person.session().cell() == Cell{TensorId::dot_products, {0, 0, 0, 2}});
}

TEST_CASE("boxes say names and shapes, and a click goes to their tensor") {
  Scripted person(pictured_step(4, true), 1280, 720);
  CHECK(count(person, "(32, 10, 64)") == 2);
  CHECK(count(person, "(64, 64)") == 1);
  person.click_item("W_q/box");
  CHECK(person.session().selection().tensor == TensorId::W_q);
  for (const TensorId tensor : {TensorId::Q_heads, TensorId::weights, TensorId::concat, TensorId::dot_products}) {
    Selecting(person.session()).select_tensor(tensor);
    CAPTURE(std::string(name(tensor)));
    CHECK(count(person, shape(tensor, person.session().setup()).to_string()) >= 1);
  }
}

TEST_CASE("every kind of picture draws in windows and on stages of all sizes") {
  for (std::size_t step = 0; step < 5; ++step)
    for (const bool presenting : {false, true})
      for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{640, 360}, std::pair{1920, 1080}}) {
        Scripted person(pictured_step(step, presenting, ThemeName::dark), width, height);
        CHECK(person.session().display().view == View::picture);
        CHECK_FALSE(texts_of(person).empty());
      }
}
