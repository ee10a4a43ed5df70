// Zooming and moving pictures with the mouse, in every view; pictures that share an axis stay aligned.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "app/session/checking.hpp"
#include "app/session/selecting.hpp"
#include "core/setup/edits.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

constexpr int width = 1200;
constexpr int height = 760;

/// Enough positions and features to zoom into.
Setup wide_setup() {
  Setup setup = lecture_session().setup();
  setup.tokens.clear();
  setup.sizes.query_length = 20;
  setup.sizes.d_model = 24;
  setup.random.draws.push_back(TensorDraw{TensorId::b_o, {}, Distribution::normal});
  return setup;
}

struct Zoomer : Scripted {
  Zoomer(View view, TensorId tensor, Setup setup = wide_setup()) : Scripted(Session(setup), width, height) {
    session().show(view);
    Selecting(session()).select({tensor, 0, 0, 0, 0});
    Checking(session()).set_reference();
    session().edit(with_seed(session().setup(), 11));
    surface.settle();
  }
  Rect centre() { return layout_of(*this, width, height).centre; }
  std::optional<Cell> at(Point p) { return cell_at(*this, p); }

  /// Points in the centre that hover a cell of the tensor and the head, in reading order.
  std::vector<Point> points_on(TensorId tensor, Index head) {
    std::vector<Point> points;
    const Rect area = centre();
    for (float y = area.y + 6; y < area.bottom(); y += 17)
      for (float x = area.x + 6; x < area.right(); x += 17) {
        const auto cell = at({x, y});
        if (!cell || cell->tensor != tensor) continue;
        if (info(tensor).has_heads() && cell->index[1] != head) continue;
        points.push_back({x, y});
      }
    return points;
  }
  /// A point near `p` that is not at the border of its cell, because zooming may move borders by a gap.
  Point well_inside(Point p) {
    const auto alone = [&] { return at(p - Point{3, 3}) == at(p + Point{3, 3}); };
    for (int i = 0; i < 12 && !alone(); ++i) p = p + Point{2, 1};
    return p;
  }
  /// How many different cells these points hover: fewer when the picture is zoomed in.
  std::size_t cells_at(const std::vector<Point>& points) {
    std::set<std::string> cells;
    for (std::size_t i = 0; i < points.size(); i += 1 + points.size() / 100)
      if (const auto cell = at(points[i])) cells.insert(to_string(*cell));
    return cells.size();
  }
  void wheel(Point p, float notches) {
    surface.move_mouse(p);
    surface.frames(2);
    surface.wheel(notches);
    surface.settle();
  }
};

/// The point that is nearest to the middle of all of them.
Point middle_of(const std::vector<Point>& points) {
  Point sum;
  for (Point p : points) sum = sum + p;
  const Point middle = sum * (1 / static_cast<float>(points.size()));
  const auto far = [&](Point p) { return std::hypot(p.x - middle.x, p.y - middle.y); };
  return *std::min_element(points.begin(), points.end(), [&](Point a, Point b) { return far(a) < far(b); });
}

struct Scene {
  View view;
  TensorId selected;
  TensorId over;  ///< the tensor whose picture the mouse is on
};
constexpr Scene scenes[] = {
    {View::pipeline, TensorId::X, TensorId::X},
    {View::pipeline, TensorId::dot_products, TensorId::dot_products},
    {View::pipeline, TensorId::dot_products, TensorId::K_heads},
    {View::pipeline, TensorId::output, TensorId::W_o},
    {View::pipeline, TensorId::scores, TensorId::dot_products},
    {View::pipeline, TensorId::weights, TensorId::weights},
    {View::pipeline, TensorId::Q_heads, TensorId::Q_heads},
    {View::pipeline, TensorId::Q_heads, TensorId::Q},
    {View::pipeline, TensorId::concat, TensorId::concat},
    {View::heads, TensorId::weights, TensorId::weights},
    {View::compare, TensorId::dot_products, TensorId::dot_products},
};

}  // namespace

TEST_CASE("every picture zooms about the pointer, moves with a drag, still pins on a click, and fits again") {
  for (const Scene& scene : scenes) {
    CAPTURE(to_string(scene.view));
    CAPTURE(name(scene.selected));
    CAPTURE(name(scene.over));
    Zoomer person(scene.view, scene.selected);
    const auto points = person.points_on(scene.over, 0);
    REQUIRE(points.size() > 20);
    const Point p = person.well_inside(middle_of(points));
    person.surface.move_mouse(p);
    const Image whole = person.surface.settled_picture();
    const Cell under = *person.at(p);
    const std::size_t all = person.cells_at(points);

    person.surface.hold_ctrl(true);  // in some views the wheel alone scrolls
    person.wheel(p, 5);
    person.surface.hold_ctrl(false);
    CHECK(person.at(p) == under);
    CHECK(person.cells_at(points) < all * 9 / 10);

    // The held cell stays under the pointer. With the left button the drag begins after the few pixels of a click.
    person.surface.wait(0.5);
    person.surface.drag(p, p + Point{-24, -14}, 6, MouseButton::middle);
    CHECK(person.at(p + Point{-24, -14}) == under);
    person.surface.wait(0.5);
    person.surface.drag(p + Point{-24, -14}, p, 6, MouseButton::left);
    person.surface.settle();
    const auto back = person.at(p);
    REQUIRE(back);
    CHECK(back->tensor == under.tensor);
    CHECK_FALSE(person.session().state().pinned);
    person.surface.wait(0.5);
    person.click(p);
    CHECK(person.session().state().pinned);
    Selecting(person.session()).release();

    person.surface.double_click(p);
    Selecting(person.session()).release();
    Selecting(person.session()).select({scene.selected, 0, 0, 0, 0});
    person.surface.move_mouse(p);
    CHECK(person.cells_at(points) == all);
    person.surface.move_mouse(p);
    CHECK(person.at(p) == under);
    CHECK(pixels_off(whole, person.surface.settled_picture(), person.centre()) == 0);
  }
}

TEST_CASE("the operands of a product stay opposite each other while one of them is zoomed") {
  Zoomer person(View::pipeline, TensorId::dot_products);
  const auto on_result = person.points_on(TensorId::dot_products, 0);
  const auto on_left = person.points_on(TensorId::Q_heads, 0);
  const auto on_right = person.points_on(TensorId::K_heads, 0);
  REQUIRE(on_left.size() > 10);
  REQUIRE(on_right.size() > 10);
  const auto check_aligned = [&] {
    for (std::size_t i = 0; i < on_result.size(); i += on_result.size() / 12) {
      const Cell result = *person.at(on_result[i]);
      const auto left = person.at({on_left[on_left.size() / 2].x, on_result[i].y});
      const auto right = person.at({on_result[i].x, on_right[on_right.size() / 2].y});
      if (left && left->tensor == TensorId::Q_heads) CHECK(left->index[2] == result.index[2]);
      if (right && right->tensor == TensorId::K_heads) CHECK(right->index[2] == result.index[3]);
    }
  };
  check_aligned();
  person.wheel(on_result[on_result.size() / 3], 4);
  check_aligned();
  person.wheel(on_left[on_left.size() / 2], 3);
  check_aligned();
  person.wheel(on_right[on_right.size() / 4], 2);
  person.surface.drag(on_result[on_result.size() / 2], on_result[on_result.size() / 2] + Point{-40, -30});
  person.surface.settle();
  check_aligned();
}

TEST_CASE("pictures that show the same places zoom as one: before and after, all heads, A and B") {
  using Same = std::tuple<View, TensorId, TensorId, TensorId, Index>;
  for (const auto& [view, selected, here, there, head] :
       {Same{View::pipeline, TensorId::weights, TensorId::masked_scores, TensorId::weights, 0},
        Same{View::heads, TensorId::weights, TensorId::weights, TensorId::weights, 1}}) {
    CAPTURE(to_string(view));
    Zoomer person(view, selected);
    const auto mine = person.points_on(here, 0);
    const auto others = person.points_on(there, head);
    REQUIRE(mine.size() > 10);
    REQUIRE(others.size() > 10);
    const Point shift = others.front() - mine.front();
    person.surface.hold_ctrl(true);
    person.wheel(mine[mine.size() / 2], 4);
    person.surface.hold_ctrl(false);
    int compared = 0;
    for (std::size_t i = 0; i < mine.size(); i += mine.size() / 10) {
      const auto a = person.at(mine[i]);
      const auto b = person.at(mine[i] + shift);
      if (!a || !b || b->tensor != there || b->index[1] != head) continue;
      ++compared;
      // The two grids of points differ by less than a step.
      CHECK(std::abs(a->index[2] - b->index[2]) <= 1);
      CHECK(std::abs(a->index[3] - b->index[3]) <= 1);
    }
    CHECK(compared >= 5);
  }
  Zoomer person(View::compare, TensorId::dot_products);
  const auto points = person.points_on(TensorId::dot_products, 0);
  const std::size_t all = person.cells_at(points);
  person.surface.hold_ctrl(true);
  person.wheel(points.front(), 4);
  person.surface.hold_ctrl(false);
  // A is at the left of B and B − A; the right half of the points must be zoomed too.
  std::vector<Point> right;
  for (Point p : points)
    if (p.x > person.centre().center().x) right.push_back(p);
  CHECK(person.cells_at(right) <= all * 3 / 4);
}

TEST_CASE("where a view scrolls, the wheel scrolls it and Ctrl with the wheel zooms") {
  Setup many = wide_setup();
  many.sizes.d_model = 64;
  many.sizes.heads = 32;
  Zoomer person(View::heads, TensorId::weights, many);
  const auto points = person.points_on(TensorId::weights, 0);
  REQUIRE(points.size() > 4);
  const Point p = points[points.size() / 2];
  const Cell under = *person.at(p);
  person.surface.hold_ctrl(true);
  person.wheel(p, 3);
  person.surface.hold_ctrl(false);
  CHECK(person.at(p) == under);
  person.wheel(p, -3);
  const auto scrolled = person.at(p);
  CHECK((!scrolled || scrolled->index[1] != under.index[1]));
}

TEST_CASE("a zoom ends with its tensor and where the axis turns, and fits a setup that shrinks") {
  Zoomer person(View::pipeline, TensorId::dot_products);
  const auto points = person.points_on(TensorId::dot_products, 0);
  const std::size_t all = person.cells_at(points);
  person.wheel(points[points.size() - 1], 8);
  CHECK(person.cells_at(points) <= all / 2);
  Setup shorter = person.session().setup();
  shorter.sizes.query_length = 6;
  REQUIRE(person.session().edit(shorter).empty());
  person.surface.settle();
  const auto shrunk = person.points_on(TensorId::dot_products, 0);
  CHECK(person.cells_at(shrunk) == 36);
  person.session().undo();
  Selecting(person.session()).select_tensor(TensorId::scores);
  person.surface.settle();
  Selecting(person.session()).select_tensor(TensorId::dot_products);
  person.surface.settle();
  CHECK(person.cells_at(points) == all);
}
