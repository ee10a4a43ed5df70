// The equation under a scripted mouse: the number and the colour under the mouse are those of the hovered cell.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "app/platform/surfaces/offscreen.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/slices/slice.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/base/views.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/tensors/whole_picture.hpp"
#include "core/model/setup.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

/// One view alone on the surface.
class ViewApp : public App {
 public:
  using Draw = std::function<void(ViewContext&, Rect)>;
  ViewApp(const Setup& setup, Draw draw) : session(setup), draw_(std::move(draw)) {}

  SurfaceLook look() const override { return {ThemeName::dark, 1, true}; }
  void frame(FrameContext& frame) override {
    ViewContext context{frame.ui, frame.heatmaps, session, memory};
    memory.get<FrameMemory>().hover_claimed = false;
    draw_(context, frame.ui.surface());
    if (!memory.get<FrameMemory>().hover_claimed) Selecting(session).hover(std::nullopt);
  }

  Session session;
  ViewMemory memory;

 private:
  Draw draw_;
};

void draw_all(Setup& setup, bool biases) {
  setup.random.draws = {SeedDraw{5}};
  const auto draw = [&](TensorId id) { setup.random.draws.push_back(TensorDraw{id, {}, Distribution::normal}); };
  draw(TensorId::X);
  if (setup.is_cross()) draw(TensorId::Y);
  for (TensorId id : {TensorId::W_q, TensorId::W_k, TensorId::W_v, TensorId::W_o}) draw(id);
  if (biases)
    for (TensorId id : {TensorId::b_q, TensorId::b_k, TensorId::b_v, TensorId::b_o}) draw(id);
}

Setup masked_rows() {
  Setup setup;
  setup.sizes = {.batch = 2, .query_length = 3, .key_length = {}, .d_model = 4, .heads = 2, .kv_heads = 1};
  setup.mask.kinds = {MaskKind::causal};
  setup.attention.dropout = 0.25;
  setup.position.encoding = Encoding::rotary;
  draw_all(setup, false);
  return setup;
}

Setup cross_columns() {
  Setup setup;
  setup.sizes = {.batch = 2, .query_length = 3, .key_length = 5, .d_model = 4, .heads = 2, .kv_heads = {}};
  setup.attention.source = Source::cross;
  setup.attention.token_axis = TokenAxis::columns;
  setup.attention.weight_layout = WeightLayout::out_in;
  setup.position.encoding = Encoding::sinusoidal;
  draw_all(setup, true);
  return setup;
}

/// The share of the pixels around a point that have the colour, up to rounding.
double share_of(const Image& image, Point at, Color color) {
  int same = 0, all = 0;
  for (int y = static_cast<int>(at.y) - 4; y <= static_cast<int>(at.y) + 4; ++y) {
    for (int x = static_cast<int>(at.x) - 4; x <= static_cast<int>(at.x) + 4; ++x) {
      if (x < 0 || y < 0 || x >= image.width || y >= image.height) continue;
      const Color found = image.at(x, y);
      ++all;
      same += std::abs(found.r - color.r) <= 3 && std::abs(found.g - color.g) <= 3 && std::abs(found.b - color.b) <= 3;
    }
  }
  return all > 0 ? static_cast<double>(same) / all : 0;
}

/// Whether the mouse stands well inside the cell: not on its border, its gap or a neighbour.
bool well_inside(Offscreen& surface, ViewApp& app, Point at, const Cell& cell) {
  for (const Point& d : {Point{-4, -4}, Point{4, -4}, Point{-4, 4}, Point{4, 4}}) {
    surface.move_mouse(at + d);
    surface.frames();
    if (app.session.state().hovered != cell) return false;
  }
  surface.move_mouse(at);
  surface.frames(2);
  return app.session.state().hovered == cell;
}

/// Walks the mouse over the equation of a tensor until it has met a few cells of each tensor in it.
std::set<TensorId> walk(Offscreen& surface, ViewApp& app, std::size_t tensors) {
  constexpr int enough = 2;
  std::map<TensorId, int> checked;
  std::set<TensorId> met;
  const Trace& trace = app.session.trace();
  const auto done = [&] {
    return checked.size() == tensors &&
           std::all_of(checked.begin(), checked.end(), [](const auto& entry) { return entry.second == enough; });
  };
  for (float y = 610; y > 20 && !done(); y -= 26) {
    for (float x = 30; x < 770; x += 44) {
      const Point at{x, y};
      surface.move_mouse(at);
      surface.frames();
      const auto hovered = app.session.state().hovered;
      if (!hovered || checked[hovered->tensor] == enough || !well_inside(surface, app, at, *hovered)) continue;
      met.insert(hovered->tensor);
      ++checked[hovered->tensor];
      const std::string where = to_string(*hovered);
      CAPTURE(where);
      CHECK(explain(trace, *hovered).value == trace.value(*hovered));
      if (info(hovered->tensor).has_batch()) CHECK(hovered->index[0] == app.session.selection().batch);
      const Selection selection = at_cell(app.session.selection(), *hovered, app.session.setup());
      const Slice slice = slice_of(trace, hovered->tensor, selection.batch, selection.head);
      CHECK(slice.value(selection.row, selection.column) == trace.value(*hovered));
      if (slice.kind(selection.row, selection.column) != CellKind::number) continue;
      const ColorScale scale =
          color_scale_of(app.session, app.memory.get<StatisticsCache>(), hovered->tensor, selection.head);
      CHECK(share_of(surface.picture(), at, scale.color(theme(ThemeName::dark), trace.value(*hovered))) > 0.1);
    }
  }
  return met;
}

void walk_every_equation(const Setup& setup) {
  ViewApp app(setup, [](ViewContext& context, Rect area) { draw_equation_view(context, area); });
  Offscreen surface(app, 780, 660);
  for (const TensorInfo& tensor : all_tensors()) {
    if (!app.session.trace().has(tensor.id)) continue;
    Selecting(app.session).select({tensor.id, 1, 1, 0, 0});
    surface.settle();
    const std::string shown(tensor.name);
    CAPTURE(shown);
    const Equation equation = equation_of(tensor.id, setup);
    const bool product = equation.kind == EquationKind::product;
    const std::size_t tensors = equation.kind == EquationKind::alone ? 1 : product ? (equation.bias ? 4 : 3) : 2;
    const std::set<TensorId> met = walk(surface, app, tensors);
    CHECK(met.contains(tensor.id));
    if (product) {
      CHECK(met.contains(equation.left.tensor));
      CHECK(met.contains(equation.right.tensor));
      if (equation.bias) CHECK(met.contains(equation.bias->tensor));
    } else if (equation.kind != EquationKind::alone) {
      CHECK(met.contains(equation.before.tensor));
    }
  }
}

TEST_CASE("the number under the mouse is the one that is drawn there: tokens in rows, masked, batch item 1") {
  walk_every_equation(masked_rows());
}

TEST_CASE("the number under the mouse is the one that is drawn there: cross-attention, tokens in columns, biases") {
  walk_every_equation(cross_columns());
}

TEST_CASE("a picture's cells answer at their places, every cell of every tensor") {
  for (const Setup& setup : {masked_rows(), cross_columns()}) {
    TensorId shown = TensorId::X;
    Rect cells;
    ViewApp app(setup, [&](ViewContext& context, Rect area) {
      const TensorPicture picture = picture_of(context, shown, 1, 1);
      cells = draw_tensor_picture(context, "picture", area.inset(10), picture, {.title = "picture"}).cells;
    });
    Offscreen surface(app, 420, 420);
    for (const TensorInfo& tensor : all_tensors()) {
      if (!app.session.trace().has(tensor.id)) continue;
      shown = tensor.id;
      surface.settle();
      const bool turned = shown_turned(tensor.id, setup);
      const Slice slice = slice_of(app.session.trace(), tensor.id, 1, 1);
      const auto across = static_cast<float>(turned ? slice.rows() : slice.columns());
      const auto down = static_cast<float>(turned ? slice.columns() : slice.rows());
      for (Index row = 0; row < slice.rows(); ++row) {
        for (Index column = 0; column < slice.columns(); ++column) {
          const auto x = static_cast<float>(turned ? row : column);
          const auto y = static_cast<float>(turned ? column : row);
          surface.move_mouse({cells.x + cells.w * (x + 0.4f) / across, cells.y + cells.h * (y + 0.4f) / down});
          surface.frames();
          const Cell expected = cell_of({tensor.id, 1, 1, row, column}, setup);
          REQUIRE(app.session.state().hovered == expected);
          CHECK(app.session.trace().value(*app.session.state().hovered) == slice.value(row, column));
        }
      }
    }
  }
}

TEST_CASE("a click pins the cell, and an operand's cell leads upstream") {
  ViewApp app(cross_columns(), [](ViewContext& context, Rect area) { draw_equation_view(context, area); });
  Selecting(app.session).select({TensorId::dot_products, 1, 1, 2, 4});
  Selecting(app.session).pin();
  Offscreen surface(app, 800, 540);
  surface.settle();
  std::optional<Cell> hovered;
  for (float x = 40; x < 760 && !hovered; x += 20) {
    surface.move_mouse({x, 400});
    surface.frames(2);
    hovered = app.session.state().hovered;
    if (hovered) surface.click({x, 400});
  }
  REQUIRE(hovered);
  CHECK(hovered->tensor == TensorId::K_heads);
  CHECK(app.session.state().pinned);
  CHECK(app.session.cell() == *hovered);
  Selecting(app.session).go_back();
  CHECK(app.session.selection().tensor == TensorId::dot_products);
}

/// Softmax's two pictures, of so many queries and keys.
Rect softmax_cells(Index queries, Index keys) {
  Setup setup = masked_rows();
  setup.mask.kinds.clear();
  setup.position.encoding = Encoding::none;
  setup.sizes.query_length = queries;
  setup.sizes.key_length = keys;
  setup.attention.source = Source::cross;
  draw_all(setup, false);
  ViewApp app(setup, [](ViewContext& context, Rect area) { draw_equation_view(context, area); });
  Selecting(app.session).select({TensorId::weights, 0, 0, 0, 0});
  Offscreen surface(app, 900, 400);
  surface.settle();
  const auto cells = surface.item("after/cells");
  REQUIRE(cells);
  return *cells;
}

TEST_CASE("a matrix too large to be read is a square where it is one, and else takes the room there is") {
  const Rect square = softmax_cells(40, 40);
  CHECK(square.w == doctest::Approx(square.h));
  const Rect wide = softmax_cells(40, 41);
  CHECK(wide.w > 1.1f * wide.h);
}

TEST_CASE("a part of a matrix lights the row and the column of the cell only where they are in it") {
  PictureLight light;
  GridBlock part{{1, 3}, {1, 3}};
  ViewApp app(masked_rows(), [&](ViewContext& context, Rect) {
    light = light_of(context, part_of(picture_of(context, TensorId::Q, 0, 0), part));
  });
  Offscreen surface(app, 100, 100);
  for (Index row = 0; row < 3; ++row)
    for (Index column = 0; column < 4; ++column) {
      Selecting(app.session).select({TensorId::Q, 0, 0, row, column});
      surface.settle();
      CAPTURE(row);
      CAPTURE(column);
      const bool has_row = row >= 1, has_column = column >= 1 && column < 3;
      CHECK(light.row == (has_row ? std::optional<Index>(row - 1) : std::nullopt));
      CHECK(light.column == (has_column ? std::optional<Index>(column - 1) : std::nullopt));
      CHECK(light.ring.has_value() == (has_row && has_column));
    }
  part = {{0, 2}, {0, 4}};  // without the last row
  Selecting(app.session).select({TensorId::Q, 0, 0, 2, 1});
  surface.settle();
  CHECK_FALSE(light.row);
  CHECK(light.column == 1);
}

}  // namespace
}  // namespace headlight
