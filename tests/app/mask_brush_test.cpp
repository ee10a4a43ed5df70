// The mask painted by hand in the pictures of masked scores and weights.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/session/selecting.hpp"
#include "app/views/equation/formula_ribbon.hpp"
#include "core/setup/edits.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

Pairs sorted(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

const Pairs& blocked(Scripted& person) { return person.session().setup().mask.blocked; }

/// A person who has taken the brush, before the masked scores of a lecture.
struct Painter : Scripted {
  std::map<std::string, Point> cells;

  explicit Painter(Session session, TensorId tensor = TensorId::masked_scores)
      : Scripted(std::move(session), 1100, 720) {
    this->session().show(View::pipeline);
    Selecting(this->session()).select({tensor, 0, 0, 0, 0});
    surface.settle();
    press({.key = Key::m, .shift = true});
    cells = cells_in(*this, layout_of(*this, 1100, 720).centre, 18);
  }

  Point on(const std::string& cell) const { return point_on(cells, cell); }
};

}  // namespace

TEST_CASE(
    "the brush is taken by key, palette and button, says what it does, and Escape puts it away before anything else") {
  Scripted person(lecture_session(), 1100, 720);
  REQUIRE(person.session().selection().tensor != TensorId::masked_scores);
  const Image before = person.surface.picture();
  person.press({.key = Key::m, .shift = true});
  CHECK(person.session().display().painting);
  CHECK(person.session().selection().tensor == TensorId::masked_scores);
  CHECK(person.session().setup() == lecture_session().setup());
  const Rect status = layout_of(person, 1100, 720).status;
  CHECK(pixels_off(before, person.surface.picture(), status) > 100);
  Selecting(person.session()).pin();
  person.press(Key::escape);
  CHECK_FALSE(person.session().display().painting);
  CHECK(person.session().state().pinned);
  person.press(Key::escape);
  CHECK_FALSE(person.session().state().pinned);

  person.press({.key = Key::k, .ctrl = true});
  person.type("Paint the mask");
  person.press(Key::enter);
  CHECK(person.session().display().painting);
  person.press({.key = Key::m, .shift = true});
  CHECK_FALSE(person.session().display().painting);

  // The button stands at the end of the formula's line.
  const Rect centre = layout_of(person, 1100, 720).centre;
  const Point button{centre.right() - 24 - 52, centre.bottom() - 16 - formula_ribbon_height / 2};
  person.click(button);
  CHECK(person.session().display().painting);
  person.click(button);
  CHECK_FALSE(person.session().display().painting);
}

TEST_CASE("a drag hides every cell on its way in one step of undo, and only there") {
  for (TensorId tensor : {TensorId::masked_scores, TensorId::weights}) {
    CAPTURE(name(tensor));
    Painter person(lecture_session(), tensor);
    const Setup before = person.session().setup();
    const std::string start(name(tensor));
    const Image bare = person.surface.picture();
    person.surface.drag(person.on(start + "[0,0,1,0]"), person.on(start + "[0,0,1,3]"), 2);
    person.surface.settle();
    CHECK(sorted(blocked(person)) == Pairs{{1, 0}, {1, 1}, {1, 2}, {1, 3}});
    CHECK(person.session().setup().mask.has(MaskKind::custom));
    CHECK_FALSE(person.session().state().pinned);
    for (Index key = 0; key < 4; ++key) CHECK(person.session().trace().value({TensorId::weights, {0, 1, 1, key}}) == 0);
    CHECK(person.session().trace().blind_queries.size() == 1);
    const Point at = person.on(start + "[0,0,1,2]");
    person.surface.move_mouse({5, 5});
    person.surface.settle();
    CHECK(pixels_off(bare, person.surface.picture(), Rect{at.x - 6, at.y - 6, 12, 12}) > 20);
    person.press({.key = Key::z, .ctrl = true});
    CHECK(person.session().setup() == before);
  }
}

TEST_CASE("the first cell of a stroke decides: from a hidden one it shows") {
  Session session = lecture_session();
  session.edit(with_blocked(session.setup(), {{0, 0}, {0, 1}, {2, 2}}, true));
  Painter person(std::move(session));
  person.surface.drag(person.on("masked_scores[0,0,0,1]"), person.on("masked_scores[0,0,2,1]"), 3);
  CHECK(sorted(blocked(person)) == Pairs{{0, 0}, {2, 2}});
  person.click(person.on("masked_scores[0,0,3,3]"));
  CHECK(sorted(blocked(person)) == Pairs{{0, 0}, {2, 2}, {3, 3}});
  person.click(person.on("masked_scores[0,0,3,3]"));
  CHECK(sorted(blocked(person)) == Pairs{{0, 0}, {2, 2}});
}

TEST_CASE("one key hides the selected cell without the brush, and shows it again; each is one step of undo") {
  for (TensorId tensor : {TensorId::Q_heads, TensorId::dot_products, TensorId::masked_scores, TensorId::weights}) {
    CAPTURE(name(tensor));
    Scripted person(lecture_session(), 1100, 720);
    const Setup before = person.session().setup();
    const bool of_keys = tensor != TensorId::Q_heads;
    Selecting(person.session()).pin({tensor, {0, 1, 2, 3}});
    person.press(Key::x);
    CHECK(blocked(person) == (of_keys ? Pairs{{2, 3}} : before.mask.blocked));
    if (!of_keys) continue;
    CHECK(person.session().setup().mask.has(MaskKind::custom));
    CHECK(person.session().trace().value({TensorId::weights, {0, 1, 2, 3}}) == 0);
    person.press(Key::left);
    person.press(Key::x);
    CHECK(sorted(blocked(person)) == Pairs{{2, 2}, {2, 3}});
    person.press(Key::x);
    CHECK(sorted(blocked(person)) == Pairs{{2, 3}});
    for (int step = 0; step < 3; ++step) person.press({.key = Key::z, .ctrl = true});
    CHECK(person.session().setup() == before);
  }
}

TEST_CASE("without the brush a drag paints nothing and a click pins; with it, pictures before the mask take none") {
  Painter person(lecture_session());
  const Setup before = person.session().setup();
  person.click(person.on("scores[0,0,1,1]"));
  CHECK(person.session().setup() == before);
  CHECK(person.session().state().pinned);
  Selecting(person.session()).release();
  person.press(Key::escape);
  person.surface.drag(person.on("masked_scores[0,0,1,0]"), person.on("masked_scores[0,0,1,3]"));
  CHECK(person.session().setup() == before);
  CHECK_FALSE(person.session().state().pinned);
  person.click(person.on("masked_scores[0,0,1,1]"));
  CHECK(person.session().state().pinned);
}

TEST_CASE("where tokens stand in columns the brush hides the key that is shown there") {
  Painter person(lecture_session("udl-12-2"), TensorId::weights);
  person.click(person.on("weights[0,0,4,2]"));
  CHECK(blocked(person) == Pairs{{4, 2}});
  CHECK(person.session().trace().value({TensorId::weights, {0, 1, 4, 2}}) == 0);
}

TEST_CASE("the operands of the context can be painted too, and all heads of the heads view") {
  Painter person(lecture_session(), TensorId::context);
  Selecting(person.session()).select({TensorId::context, 0, 0, 0, 0});
  person.surface.settle();
  person.cells = cells_in(person, layout_of(person, 1100, 720).centre, 18);
  person.click(person.on("weights[0,0,2,1]"));
  CHECK(blocked(person) == Pairs{{2, 1}});
  person.session().show(View::heads);
  Selecting(person.session()).select({TensorId::weights, 0, 0, 0, 0});
  person.surface.settle();
  person.cells = cells_in(person, layout_of(person, 1100, 720).centre, 18);
  person.click(person.on("weights[0,1,3,0]"));
  CHECK(blocked(person) == Pairs{{2, 1}, {3, 0}});
}

TEST_CASE("where a pixel stands for many cells the brush hides them all, and one step takes them back") {
  Setup large = lecture_session().setup();
  large.tokens.clear();
  large.sizes.query_length = 1500;
  large.sizes.heads = 1;
  large.sizes.kv_heads = {};
  Scripted person(Session(large), 900, 640);
  Selecting(person.session()).select({TensorId::masked_scores, 0, 0, 0, 0});
  person.session().set_display([&] {
    Display display = person.session().display();
    display.painting = true;
    return display;
  }());
  person.surface.settle();
  const Rect centre = layout_of(person, 900, 640).centre;
  std::optional<Point> at;
  for (float x = centre.right() - 20; x > centre.center().x && !at; x -= 16) {
    const auto cell = cell_at(person, {x, centre.center().y + 40});
    if (cell && cell->tensor == TensorId::masked_scores) at = Point{x, centre.center().y + 40};
  }
  REQUIRE(at);
  person.surface.drag(*at, *at + Point{-60, 30}, 3);
  const std::size_t count = blocked(person).size();
  CHECK(count > 2000);
  CHECK(person.session().can_undo());
  person.surface.drag(*at, *at + Point{-60, 30}, 3);
  CHECK(blocked(person).size() < count / 2);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(blocked(person).size() == count);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.session().setup() == large);
}
