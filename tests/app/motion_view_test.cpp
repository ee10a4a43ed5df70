// Motion that explains, watched frame by frame: what is on the way must be true, it must end at the picture without
// motion, and then nothing may be drawn any more.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/session/selecting.hpp"
#include "app/ui/drawing/display_list.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/view_memory.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

constexpr std::size_t scores_step = 3;  ///< the dot products of queries and keys
constexpr double seconds_per_term = 0.4;

Session at_step(std::size_t step) {
  Session session = lecture_session("numpy-from-scratch", step);
  session.set_timed(false);
  return session;
}

struct Watcher : Scripted {
  explicit Watcher(std::size_t step = scores_step - 1) : Scripted(at_step(step)) {
    surface.let_move();
    surface.settle();
  }
  double built() { return app.memory().get<Motion>().built(); }
  bool is_still() { return std::isinf(surface.next_frame_in()); }
};

/// The number that stands in a rectangle; none where there is none.
std::optional<double> number_in(const DisplayList& drawing, const Rect& cell) {
  for (const Drawn& drawn : drawing.drawn) {
    const auto* const text = std::get_if<TextShape>(&drawn.shape);
    if (text == nullptr || !cell.contains({text->baseline.x + text->width / 2, text->baseline.y - 4})) continue;
    std::string words = text->text;
    if (words.starts_with("−")) words.replace(0, std::string_view("−").size(), "-");
    try {
      return std::stod(words);
    } catch (const std::exception&) {
      continue;
    }
  }
  return std::nullopt;
}

Rect cell_of(const Rect& cells, Index row, Index column, Index rows, Index columns) {
  const float w = cells.w / static_cast<float>(columns);
  const float h = cells.h / static_cast<float>(rows);
  return {cells.x + w * static_cast<float>(column), cells.y + h * static_cast<float>(row), w, h};
}

}  // namespace

TEST_CASE("a dot product adds up term by term, and then nothing moves any more") {
  Watcher person;
  REQUIRE(person.is_still());
  person.surface.key(Key::page_down);
  const Session& session = person.session();
  REQUIRE(session.lesson().at.index == scores_step);
  const Cell cell = session.cell();
  REQUIRE(cell.tensor == TensorId::dot_products);
  const Trace& trace = session.trace();
  const double came = person.surface.time();
  double sum = 0;
  for (Index term = 0; term < 4; ++term) {
    CAPTURE(term);
    sum += trace.value({TensorId::Q_heads, {cell.index[0], cell.index[1], cell.index[2], term}}) *
           trace.value({TensorId::K_heads, {cell.index[0], cell.index[1], cell.index[3], term}});
    while (person.surface.time() < came + (static_cast<double>(term) + 0.8) * seconds_per_term) person.surface.frames();
    const Rect result = person.item("result/cells");
    const auto shown = number_in(person.surface.drawing(), cell_of(result, cell.index[2], cell.index[3], 4, 4));
    REQUIRE(shown);
    CHECK(*shown == doctest::Approx(sum).epsilon(0.01));
  }
  CHECK(person.built() < 1);
  person.surface.settle();
  CHECK(person.built() == 1);
  CHECK(person.is_still());
  CHECK(sum == doctest::Approx(trace.value(cell)));
}

TEST_CASE("every step, forward and back, ends at the picture that stands without motion, and is still then") {
  Watcher moving(0);
  Scripted still(at_step(0));
  const std::size_t steps = still.session().lesson().step_count();
  const auto compare = [&](Key key) {
    CAPTURE(still.session().lesson().at.index);
    moving.press(key);
    still.press(key);
    CHECK(moving.is_still());
    CHECK(pixels_off(moving.surface.picture(), still.surface.picture(), {0, 0, 1440, 900}) == 0);
  };
  for (std::size_t step = 1; step < steps; ++step) compare(Key::page_down);
  for (std::size_t step = 1; step < steps; ++step) compare(Key::page_up);
}

TEST_CASE("matrices glide from where they stood") {
  Watcher person(0);  // X alone
  const Rect alone = person.item("alone/cells");
  person.surface.key(Key::page_down);
  person.surface.frames(4);
  const auto passing = person.surface.item("left/cells");
  person.surface.settle();
  const auto left = person.surface.item("left/cells");
  REQUIRE(passing);
  REQUIRE(left);
  CHECK(passing->x != left->x);
  CHECK(std::min(alone.x, left->x) - 1 <= passing->x);
  CHECK(passing->x <= std::max(alone.x, left->x) + 1);
}

TEST_CASE("a key, a click and reduced motion end what is on the way") {
  Watcher person;
  person.surface.key(Key::page_down);
  person.surface.frames(5);
  REQUIRE(person.built() < 1);
  person.surface.key(Key::p);
  person.surface.frames(1);
  CHECK(person.built() == 1);
  Selecting(person.session()).release();
  person.run("motion.reduce");
  person.surface.key(Key::page_up);
  person.surface.key(Key::page_down);
  person.surface.frames(1);
  CHECK(person.built() == 1);
  CHECK(person.is_still());
}

TEST_CASE("a row of scores becomes shares: exponentials first, and then they add up to one") {
  Watcher person(5);
  Session& session = person.session();
  Selecting(session).select({TensorId::masked_scores, 0, 1, 2, 0});
  person.surface.settle();
  Selecting(session).select({TensorId::weights, 0, 1, 2, 0});
  person.surface.frames(1);
  const double came = person.surface.time();
  const auto row = [&] {
    const Rect after = person.item("after/cells");
    const DisplayList drawing = person.surface.drawing();
    double sum = 0;
    for (Index key = 0; key < 4; ++key) sum += number_in(drawing, cell_of(after, 2, key, 4, 4)).value_or(0);
    return sum;
  };
  while (person.surface.time() < came + 0.75) person.surface.frames();
  double exponentials = 0;
  double largest = -1e300;
  const Trace& trace = session.trace();
  for (Index key = 0; key < 4; ++key) largest = std::max(largest, trace.value({TensorId::scores, {0, 1, 2, key}}));
  for (Index key = 0; key < 4; ++key)
    exponentials += std::exp(trace.value({TensorId::scores, {0, 1, 2, key}}) - largest);
  CHECK(row() == doctest::Approx(exponentials).epsilon(0.02));
  person.surface.settle();
  CHECK(row() == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("a change morphs from the old numbers to the new ones, and a drag does not lag behind") {
  Watcher person;
  Session& session = person.session();
  Selecting(session).select({TensorId::weights, 0, 0, 0, 0});
  person.surface.settle();
  const auto with_temperature = [&](double temperature) {
    Setup setup = session.setup();
    setup.attention.temperature = temperature;
    return setup;
  };
  const Image before = person.surface.picture();
  const Rect cells = person.item("after/cells");
  person.surface.wait(1);
  session.edit(with_temperature(8));
  person.surface.frames(3);
  const Image passing = person.surface.picture();
  const Image after = person.surface.settled_picture();
  CHECK(pixels_off(before, passing, cells) > 200);
  CHECK(pixels_off(passing, after, cells) > 200);
  CHECK(person.is_still());
  // Each change of a drag stands at once.
  session.edit(with_temperature(1));
  person.surface.frames(2);
  session.edit(with_temperature(8));
  person.surface.frames(2);
  CHECK(pixels_off(after, person.surface.picture(), cells) == 0);
}

TEST_CASE("dragging along the steps scrubs through them and through what happens in them") {
  Watcher person;
  const Rect third = person.item("progress/2/dash");
  const Rect fourth = person.item("progress/3/dash");
  Offscreen& surface = person.surface;
  surface.move_mouse(third.center());
  surface.frames(2);
  surface.press_mouse();
  surface.frames(1);
  surface.move_mouse(fourth.center());
  surface.frames(2);
  CHECK(person.session().lesson().at.index == scores_step);
  CHECK(person.built() == doctest::Approx(0.5).epsilon(0.1));
  surface.frames(20);
  CHECK(person.built() == doctest::Approx(0.5).epsilon(0.1));  // as long as the mouse rests there
  surface.release_mouse();
  surface.settle();
  CHECK(person.session().lesson().at.index == scores_step);
  CHECK(person.built() == 1);
  CHECK(person.is_still());
}
