// The compare view, worked with a scripted mouse: keep a state as A, edit, and look at the differences.
#include <doctest/doctest.h>

#include "app/session/selecting.hpp"
#include "core/setup/edits.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct CompareDesk : Scripted {
  CompareDesk() : Scripted(lecture_session(), 1440, 900) {
    Selecting(session()).select({TensorId::weights, 0, 0, 0, 0});
    session().show(View::compare);
    surface.settle();
  }
  Rect centre() { return layout_of(*this, 1440, 900).centre; }
};

}  // namespace

TEST_CASE("keep this as A, edit on, and A stays while B and the difference follow") {
  CompareDesk person;
  REQUIRE(person.session().state().checking.reference.empty());
  person.click_item("keep");
  REQUIRE(person.session().state().checking.reference == person.session().state().layers);
  const auto a = person.session().state().checking.reference;
  person.surface.move_mouse({20, 880});
  const Image same = person.surface.settled_picture();
  const Rect at_a = person.item("a/cells");
  const Rect at_b = person.item("b/cells");
  const Rect at_difference = person.item("difference/cells");
  CHECK(at_a.x < at_b.x);
  CHECK(at_b.x < at_difference.x);

  person.press(Key::m);
  CHECK(person.session().setup().mask.has(MaskKind::causal));
  CHECK(person.session().state().checking.reference == a);
  const Image edited = person.surface.settled_picture();
  CHECK(pixels_off(same, edited, at_a) == 0);
  CHECK(pixels_off(same, edited, at_b) > 200);
  CHECK(pixels_off(same, edited, at_difference) > 200);

  person.press({.key = Key::z, .ctrl = true});
  person.surface.move_mouse({20, 880});
  CHECK(pixels_off(same, person.surface.settled_picture(), person.centre()) == 0);
}

TEST_CASE("the range of the colours is chosen below the pictures, for A and B together") {
  CompareDesk person;
  person.click_item("keep");
  person.press(Key::m);
  person.surface.move_mouse({20, 880});
  const Image before = person.surface.settled_picture();
  person.choose("centre/range", 1, 5);
  CHECK(person.session().display().heatmap(TensorId::weights).range == RangeKind::even);
  person.surface.move_mouse({20, 880});
  const Image after = person.surface.settled_picture();
  CHECK(pixels_off(before, after, person.item("a/cells")) > 200);
  CHECK(pixels_off(before, after, person.item("b/cells")) > 200);
  CHECK(pixels_off(before, after, person.item("difference/cells")) == 0);
}

TEST_CASE("pointing into A, B or the difference is pointing at the same cell") {
  CompareDesk person;
  person.click_item("keep");
  person.press(Key::m);
  for (const char* picture : {"a/cells", "b/cells", "difference/cells"}) {
    CAPTURE(picture);
    const Rect r = person.item(picture);
    const auto cell = cell_at(person, r.min() + Point{r.w * 0.4f, r.h * 0.9f});
    REQUIRE(cell);
    CHECK(*cell == Cell{TensorId::weights, {0, 0, 3, 1}});
  }
}

TEST_CASE("the list and the table of differences choose the tensor, the stepper the head") {
  CompareDesk person;
  person.click_item("keep");
  person.session().edit(with_seed(person.session().setup(), 5));
  person.surface.settle();
  person.click_item("tensor");
  person.click_item("0/row");
  CHECK(person.session().selection().tensor == TensorId::X);
  const std::string row = std::to_string(static_cast<int>(TensorId::V_heads)) + "/row";
  REQUIRE(person.scroll_to(row, person.centre()));
  person.click_item(row);
  CHECK(person.session().selection().tensor == TensorId::V_heads);
  // A click on the row selects the cell with the largest difference.
  const Cell where = person.session().cell();
  const Trace& a = person.session().state().checking.reference.first();
  const Trace& b = person.session().trace();
  const auto difference = [&](const Cell& cell) { return std::abs(b.value(cell) - a.value(cell)); };
  for (Index head = 0; head < 2; ++head)
    for (Index position = 0; position < 4; ++position)
      for (Index feature = 0; feature < 4; ++feature)
        CHECK(difference({TensorId::V_heads, {0, head, position, feature}}) <= difference(where));
  const Index head = person.session().selection().head;
  person.click_item(head == 0 ? "head/plus" : "head/minus");
  CHECK(person.session().selection().head == 1 - head);
}

TEST_CASE("A can be taken anew and let go") {
  CompareDesk person;
  person.press(Key::c);
  REQUIRE_FALSE(person.session().state().checking.reference.empty());
  person.press(Key::m);
  person.click_item("again");
  CHECK(person.session().state().checking.reference == person.session().state().layers);
  person.click_item("clear");
  CHECK(person.session().state().checking.reference.empty());
  CHECK(person.has_item("keep"));
}

TEST_CASE("where the shapes differ, B still answers and there is no difference to point at") {
  CompareDesk person;
  person.click_item("keep");
  REQUIRE(person.session().edit(with_query_length(person.session().setup(), 6)).empty());
  person.surface.settle();
  CHECK_FALSE(person.has_item("difference/cells"));
  const auto cell = cell_at(person, person.item("b/cells").max() - Point{6, 6});
  REQUIRE(cell);
  CHECK(*cell == Cell{TensorId::weights, {0, 0, 5, 5}});
}
