// Playing with a number, by a scripted person: a large slider, a sweep there and back, a ghost and a curve.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "app/figures/fitted_surface.hpp"
#include "app/session/lesson.hpp"
#include "app/session/play/curve.hpp"
#include "app/session/selecting.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/play/play.hpp"
#include "core/engine/engine.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct Player : Scripted {
  Player() : Scripted(lecture_session("numpy-from-scratch", 5), 1440, 900) {}
  const std::optional<Play>& play() { return app.memory().get<PlayMemory>().play; }
  double temperature() { return session().setup().attention.temperature; }
  void find(std::string_view words) {
    press({.key = Key::k, .ctrl = true});
    type(words);
    press(Key::enter);
  }
};

}  // namespace

TEST_CASE("a button starts to play with a number of the setup, and the slider and the keys change it") {
  Player person;
  REQUIRE_FALSE(person.play());
  const Rect setup = layout_of(person, 1440, 900).setup;
  REQUIRE(person.scroll_to("attention.temperature/track", setup));
  person.surface.move_mouse(person.item("attention.temperature/track").center());
  person.surface.settle();
  person.click_item("attention.temperature/play");
  REQUIRE(person.play());
  CHECK(person.play()->number.key == "attention.temperature");
  const auto before = person.session().state().trace;
  CHECK(person.play()->before == before);
  person.press(Key::end);  // the slider has the keyboard
  CHECK(person.temperature() == doctest::Approx(10));
  person.press(Key::home);
  CHECK(person.temperature() == doctest::Approx(0.1));
  person.press({.key = Key::z, .ctrl = true});
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.session().setup() == before->setup);
  person.click_item("play/close");
  CHECK_FALSE(person.play());
}

TEST_CASE("a sweep goes there and back, is one step of undo, and an idle window draws nothing") {
  Player person;
  person.find("play with temperature");
  REQUIRE(person.play());
  const double before = person.temperature();
  person.click(person.item("play/sweep").center());
  double least = before;
  double largest = before;
  for (int frame = 0; frame < 60 * 9; frame += 6) {
    person.surface.frames(6);
    least = std::min(least, person.temperature());
    largest = std::max(largest, person.temperature());
  }
  CHECK(least < 0.15);
  CHECK(largest > 8);
  person.click(person.item("play/sweep").center());
  CHECK_FALSE(person.play()->sweeping);
  person.surface.wait(5);  // until the tooltip is there
  CHECK(std::isinf(person.surface.next_frame_in()));
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.temperature() == before);
}

TEST_CASE("the curve is what the engine gives at each point, for a cell, an entropy and the largest weight") {
  Session session = lecture_session("numpy-from-scratch", 5);
  const Selection place{TensorId::weights, 0, 1, 2, 0};
  const PlayNumber number = *play_number(session.trace(), "attention.temperature");
  for (const Measure measure : {Measure::cell, Measure::entropy, Measure::largest}) {
    CAPTURE(static_cast<int>(measure));
    const auto value = [&](const ModelTrace& model) {
      return measured(*session.threads(), model.first(), measure, place);
    };
    const Curve curve = curves_over(session.threads(), session.setup(), number, {0.5, 1, 4}, {value}).front();
    REQUIRE(curve.values.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      Setup setup = session.setup();
      setup.attention.temperature = curve.at[i];
      const auto trace = compute_trace(setup);
      double entropy = 0;
      double largest = 0;
      for (Index query = 0; query < 4; ++query)
        for (Index key = 0; key < 4; ++key) {
          const double p = trace->value({TensorId::weights, {0, 1, query, key}});
          entropy -= p > 0 ? p * std::log2(p) / 4 : 0;
          largest = std::max(largest, p);
        }
      const double expected = measure == Measure::cell      ? trace->value({TensorId::weights, {0, 1, 2, 0}})
                              : measure == Measure::entropy ? entropy
                                                            : largest;
      CHECK(curve.values[i] == doctest::Approx(expected));
    }
  }
}

TEST_CASE("the curve is copied as a table, and the state before shows as a ghost") {
  Player person;
  Lesson(person.session()).show_answer();     // before, the weights are hidden
  Lesson(person.session()).fold_words(true);  // so that an edit of the setup doesn't move the picture
  person.find("play with temperature");
  person.surface.move_mouse({20, 880});
  const Image same = person.surface.settled_picture();
  person.press(Key::end);
  person.surface.move_mouse({20, 880});
  const Image warm = person.surface.settled_picture();
  const Rect cells = person.item("after/cells");
  // A stripe at the foot of each cell keeps its colour, the rest of the cell does not.
  const Rect cell{cells.x + cells.w / 2, cells.y, cells.w / 4 - 6, cells.h / 4 - 6};
  const Rect foot{cell.x + 4, cell.bottom() - 0.1f * cell.h, cell.w - 8, 0.06f * cell.h};
  const Rect top{cell.x + 4, cell.y + 4, cell.w - 8, 0.2f * cell.h};
  const auto off = [&](const Rect& r) {
    const Color a = same.at(static_cast<int>(r.center().x), static_cast<int>(r.center().y));
    const Color b = warm.at(static_cast<int>(r.center().x), static_cast<int>(r.center().y));
    return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b);
  };
  CHECK(off(foot) <= 6);
  CHECK(off(top) > 20);
  person.click_item("play/copy curve");
  std::istringstream table(person.surface.clipboard());
  std::string line;
  std::getline(table, line);
  CHECK(line.starts_with("attention.temperature,"));
  int rows = 0;
  while (std::getline(table, line)) ++rows;
  CHECK(rows == 41);
}

TEST_CASE("a number is named with its range, and anything else is refused") {
  const Session session = lecture_session("numpy-from-scratch", 5);
  const PlayNumber number = parse_play(session.trace(), "temperature=0.5..2");
  CHECK(to_string(number) == "attention.temperature=0.5..2");
  CHECK(parse_play(session.trace(), to_string(number)) == number);
  CHECK(parse_play(session.trace(), "temperature") == *play_number(session.trace(), "attention.temperature"));
  CHECK(parse_play(session.trace(), "W_q[2,5]=-1..1").high == 1);
  CHECK(parse_play(session.trace(), "seed=0..9").whole);
  CHECK(parse_play(session.trace(), "dropout").text(0.3) == "30 %");
  for (const char* wrong : {"", "nonsense", "temperature=", "temperature=1", "temperature=2..1", "temperature=0..1",
                            "temperature=1..inf", "W_q[99,0]", "weights[0,1,2,0]"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_play(session.trace(), wrong), InputError);
  }
}

TEST_CASE("the curve is taken away as a picture, from its button to the figure") {
  Player person;
  Lesson(person.session()).show_answer();  // before, the weights are hidden
  person.surface.settle();
  person.find("play with temperature");
  person.click_item("play/take curve");
  REQUIRE(person.app.memory().opened<ExportDialog>());
  const ExportChoices& choices = person.app.memory().opened<ExportDialog>()->choices;
  CHECK(choices.what == ExportWhat::play);
  CHECK(choices.played == "attention.temperature=0.1..10");
  CHECK(choices.measure == Measure::cell);

  Session session = lecture_session("numpy-from-scratch", 5);
  Lesson(session).show_answer();
  session.set_timed(false);
  Figure figure;
  figure.what = ExportWhat::play;
  figure.played = choices.played;
  figure.measure = Measure::largest;
  const DisplayList drawing = FittedSurface(session, figure).shapes();
  std::vector<std::string> texts;
  std::size_t lines = 0;
  for (const Drawn& drawn : drawing.drawn) {
    if (const auto* const text = std::get_if<TextShape>(&drawn.shape)) texts.push_back(text->text);
    else if (std::holds_alternative<PathShape>(drawn.shape)) ++lines;
  }
  CHECK(lines >= 40);
  const std::string title = words_of(Measure::largest, session.selection(), session.setup()) + " over Temperature";
  for (const std::string& wanted : {title, std::string("0.1"), std::string("10")})
    CHECK(std::ranges::find(texts, wanted) != texts.end());
}

TEST_CASE("the number beside the point of the curve stands clear of the line") {
  for (const Measure measure : {Measure::entropy, Measure::largest, Measure::cell}) {
    CAPTURE(static_cast<int>(measure));
    Session session = lecture_session("scale", 5);
    session.set_timed(false);
    Figure figure;
    figure.what = ExportWhat::play;
    figure.played = "attention.temperature=0.1..10";
    figure.measure = measure;
    const DisplayList drawing = FittedSurface(session, figure).shapes();
    std::vector<Rect> numbers;
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape); text && text->style == TextStyle::mono_strong)
        numbers.push_back(bounds_of(drawn.shape));
    REQUIRE(numbers.size() == 1);
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* const line = std::get_if<PathShape>(&drawn.shape))
        for (const Point& point : line->points) CHECK_FALSE(numbers.front().inset(2).contains(point));
  }
}

TEST_CASE("a number of a weight is played with from its menu or with V, and while presenting too") {
  Player person;
  Selecting(person.session()).pin({TensorId::W_q, {2, 5}});
  person.surface.settle();
  person.press(Key::v);
  REQUIRE(person.play());
  CHECK(person.play()->number.key == "W_q[2,5]");
  const double before = person.session().trace().value({TensorId::W_q, {2, 5}});
  person.press(Key::f5);
  REQUIRE(person.session().display().presentation.presenting);
  const Rect track = person.item("play/number/track");
  person.surface.drag(track.center(), {track.right() - 4, track.center().y});
  person.surface.settle();
  CHECK(person.session().trace().value({TensorId::W_q, {2, 5}}) > before + 1);
}
