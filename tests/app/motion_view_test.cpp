// Motion that explains, watched frame by frame: what is on the way must be true, it must end at the picture without
// motion, and then nothing may be drawn any more.
#include <doctest/doctest.h>

#include <algorithm>
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
  Lesson(session).show_answer();  // which is the row
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
  person.surface.resize(1920, 1080);  // room for a dash for each step
  person.surface.settle();
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

namespace {

/// Somebody at a step who is about to see its answer, with motion.
struct Asked : Scripted {
  Asked(std::string_view lecture, std::size_t step, bool moves = true) : Scripted(still(lecture, step, moves)) {
    surface.let_move();
    surface.settle();
  }
  static Session still(std::string_view lecture, std::size_t step, bool moves) {
    Session session = lecture_session(lecture, step);
    session.set_timed(false);
    session.edit_display([&](Display& d) { d.appearance.reduce_motion = !moves; });
    return session;
  }
  double built() { return app.memory().get<Motion>().built(); }
  void answer() {
    Lesson(session()).show_answer();
    surface.frames(2);
  }
  bool shows(std::string_view words) {
    const DisplayList drawing = surface.drawing();
    return std::ranges::any_of(drawing.drawn, [&](const Drawn& drawn) {
      const auto* const text = std::get_if<TextShape>(&drawn.shape);
      return text != nullptr && text->text == words;
    });
  }
  std::size_t hatched() {
    std::size_t count = 0;
    for (const Drawn& drawn : surface.drawing().drawn)
      if (const auto* const hatch = std::get_if<HatchShape>(&drawn.shape)) count += hatch->rects.size();
    return count;
  }
};

/// The first step of a lecture that shows this tensor in a view.
std::size_t step_on(const Session& session, std::string_view lecture, TensorId tensor) {
  for (const auto& each : session.lectures()) {
    if (each->id != lecture) continue;
    for (std::size_t i = 0; i < each->steps.size(); ++i)
      if (each->steps[i].look_at.tensor == tensor && !each->steps[i].picture) return i;
  }
  FAIL("no such step");
  return 0;
}

}  // namespace

TEST_CASE("once the answer shows, the words flow into the blend by their weights, one after the other") {
  Asked person("bank", 4);
  person.answer();
  REQUIRE(person.built() < 1);
  CHECK_FALSE(person.shows("1.46"));
  while (person.built() < 0.49) person.surface.frames();
  CHECK(person.shows(".93"));  // the and river have arrived: 0.01 · 0 + 0.46 · 2
  CHECK_FALSE(person.shows("1.46"));
  person.surface.settle();
  CHECK(person.built() == 1);
  CHECK(person.shows("1.46"));
  Asked still("bank", 4, false);
  still.answer();
  CHECK(still.built() == 1);
  CHECK(still.shows("1.46"));
}

TEST_CASE("a causal mask closes column by column, and softmax turns a row of scores into shares") {
  const Session all = lecture_session();
  Asked person("masks", step_on(all, "masks", TensorId::masked_scores) - 1);
  Lesson(person.session()).step_by(1);
  if (person.session().lesson().asks()) Lesson(person.session()).show_answer();
  person.surface.frames(2);
  REQUIRE(person.built() < 1);
  const std::size_t at_first = person.hatched();
  while (person.built() < 0.6) person.surface.frames();
  const std::size_t halfway = person.hatched();
  person.surface.settle();
  CHECK(at_first < halfway);
  CHECK(halfway < person.hatched());

  Asked pupil("bank", 3);
  pupil.answer();
  REQUIRE(pupil.built() < 1);
  CHECK_FALSE(pupil.shows("0.46"));
  pupil.surface.settle();
  CHECK(pupil.shows("0.46"));
}

TEST_CASE("rotary's arrows turn to their places") {
  Asked person("where", 0);
  const auto& lectures = person.session().lectures();
  const auto where = std::ranges::find(lectures, "where", [](const auto& each) { return each->id; });
  const auto turns =
      std::ranges::find_if((*where)->steps, [](const Step& step) { return step.title == "Turn instead of add"; });
  REQUIRE(turns != (*where)->steps.end());
  Lesson(person.session()).go_to(static_cast<std::size_t>(turns - (*where)->steps.begin()));
  person.surface.settle();
  person.answer();
  REQUIRE(person.built() < 1);
  const auto tips = [&] {
    std::vector<Point> points;
    for (const Drawn& drawn : person.surface.drawing().drawn)
      if (const auto* path = std::get_if<PathShape>(&drawn.shape); path && path->points.size() == 3)
        points.push_back(path->points[1]);
    return points;
  };
  const auto before = tips();
  person.surface.settle();
  const auto after = tips();
  REQUIRE(before.size() == after.size());
  bool moved = false;
  for (std::size_t i = 0; i < after.size(); ++i)
    moved |= std::hypot(before[i].x - after[i].x, before[i].y - after[i].y) > 5;
  CHECK(moved);
}

TEST_CASE("the blend follows a dragged temperature at once, and glides to that of a single change") {
  Asked person("bank", 4);
  person.answer();
  person.surface.settle();
  const auto with_temperature = [&](double temperature) {
    Setup setup = person.session().setup();
    setup.attention.temperature = temperature;
    return setup;
  };
  // The bar of the blend's money, found by its place: the row of money, right of all words. The longest is water's.
  const auto bar = [&] {
    const Rect cells = person.item("feature 1/cells");
    float widest = 0;
    for (const Drawn& drawn : person.surface.drawing().drawn)
      if (const auto* const box = std::get_if<BoxShape>(&drawn.shape))
        if (box->r.x > cells.right() && box->r.y < cells.center().y && box->r.bottom() > cells.center().y &&
            box->r.h > cells.h / 2 && box->r.h < 1.5f * cells.h)
          widest = std::max(widest, box->r.w);
    return widest;
  };
  const auto digits = [&] {
    return fmt::format("{:.2f}", person.session().trace().value({TensorId::output, {0, 2, 0}}));
  };
  const float before = bar();
  REQUIRE(before > 0);
  person.surface.wait(1);
  person.session().edit(with_temperature(20), "temperature");
  person.surface.frames(2);
  const float moving = bar();
  person.surface.settle();
  const float after = bar();
  CHECK(std::min(before, after) < moving);
  CHECK(moving < std::max(before, after));
  CHECK(person.shows(digits()));
  // A drag: changes that follow each other.
  for (const double temperature : {10.0, 5.0, 2.0, 1.0}) {
    person.session().edit(with_temperature(temperature), "temperature");
    person.surface.frames(2);
    CHECK(person.shows(digits()));
  }
  CHECK(bar() == doctest::Approx(before).epsilon(0.01));
}

TEST_CASE("rotary's arrows turn from place to place as query and key move") {
  Asked person("where", 0);
  const auto& lectures = person.session().lectures();
  const auto where = std::ranges::find(lectures, "where", [](const auto& each) { return each->id; });
  const auto turns =
      std::ranges::find_if((*where)->steps, [](const Step& step) { return step.title == "Turn instead of add"; });
  const auto first = static_cast<std::size_t>(turns - (*where)->steps.begin());
  const auto directions = [&] {
    std::vector<Point> points;
    for (const Drawn& drawn : person.surface.drawing().drawn)
      if (const auto* path = std::get_if<PathShape>(&drawn.shape); path && path->points.size() == 3)
        points.push_back(path->points[1]);
    return points;
  };
  const auto most_moved = [](const std::vector<Point>& a, const std::vector<Point>& b) {
    float most = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      most = std::max(most, std::hypot(a[i].x - b[i].x, a[i].y - b[i].y));
    return most;
  };
  Lesson(person.session()).go_to(first);
  Lesson(person.session()).show_answer();
  person.surface.settle();
  const auto at_rest = directions();
  Lesson(person.session()).step_by(1);  // query and keys, five places later
  person.surface.frames(2);
  const auto on_way = directions();
  person.surface.frames(10);
  const auto later = directions();
  person.surface.settle();
  const auto there = directions();
  REQUIRE(at_rest.size() >= 4);
  CHECK(most_moved(on_way, later) > 5);
  CHECK(most_moved(later, there) > 5);
  CHECK(person.built() == 1);
  // A click on another query moves its arrow alone.
  Selecting(person.session()).select({TensorId::dot_products, 0, 0, 6, 8});
  person.surface.frames(2);
  const auto moving = directions();
  person.surface.settle();
  CHECK(most_moved(moving, directions()) > 1);
  Asked still("where", first, false);
  Lesson(still.session()).show_answer();
  still.surface.settle();
  Lesson(still.session()).step_by(1);
  still.surface.frames(2);
  CHECK(still.surface.settled_picture().rgba == still.surface.picture().rgba);
}
