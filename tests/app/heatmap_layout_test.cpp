#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "app/heatmap/heatmap.hpp"
#include "app/heatmap/numbers.hpp"
#include "tests/app/heatmap_sheet.hpp"

namespace headlight {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

TEST_CASE("layout: the focus matrix has the design's pitch and gap") {
  const HeatmapLayout layout({304, 500, 4 * 63 - 6, 4 * 56 - 6}, {4, 4, false}, 1);
  CHECK(layout.gap() == 6);
  CHECK(layout.pitch_x() == 63);
  CHECK(layout.pitch_y() == 56);
  CHECK(layout.rect_of(GridCell{1, 2}) == Rect{304 + 126, 556, 57, 50});
}

TEST_CASE("layout: the cell under a point is the one that is drawn there") {
  for (float scale : {1.0f, 1.25f, 2.0f}) {
    for (bool transposed : {false, true}) {
      const HeatmapLayout layout({10.3f, 20.7f, 97, 61}, {7, 13, transposed}, scale);
      for (Index row = 0; row < 7; ++row) {
        for (Index column = 0; column < 13; ++column) {
          const Rect r = layout.rect_of(GridCell{row, column});
          CHECK(r.w > 0);
          CHECK(layout.cell_at(r.center()) == GridCell{row, column});
          CHECK(layout.cell_at(Point{r.x + 0.01f, r.y + 0.01f}) == GridCell{row, column});
          CHECK(layout.cell_at(Point{r.right() - 0.01f, r.bottom() - 0.01f}) == GridCell{row, column});
        }
      }
      CHECK_FALSE(layout.cell_at({9, 30}));
      CHECK_FALSE(layout.cell_at({50, 90}));
    }
  }
}

TEST_CASE("layout: below a pixel every cell belongs to exactly one texel") {
  for (const Index count : {251, 300, 1024, 4096, 5000}) {
    for (const AxisView view :
         {AxisView{0, static_cast<double>(count)}, AxisView{13.25, 0.8 * static_cast<double>(count)}}) {
      const AxisMap axis{count, view, 200};
      REQUIRE(axis.reduced());
      REQUIRE(axis.texels() == 200);
      Index next = axis.cells_of_texel(0).begin;
      CHECK(next == static_cast<Index>(view.start));
      for (int texel = 0; texel < axis.texels(); ++texel) {
        const IndexRange cells = axis.cells_of_texel(texel);
        CHECK(cells.begin == next);
        CHECK(cells.size() >= 1);
        for (Index cell = cells.begin; cell < cells.end; ++cell)
          CHECK(axis.texels_of_cells(IndexRange::one(cell)) == IndexRange::one(texel));
        next = cells.end;
      }
      CHECK(next == axis.visible().end);
    }
  }
}

TEST_CASE("layout: zooming keeps the point under the mouse and stays inside the tensor") {
  const HeatmapLayout whole({0, 0, 200, 200}, {1024, 1024, false}, 1);
  const Point mouse{50, 150};
  const HeatmapLayout zoomed = whole.zoomed(mouse, 32);
  CHECK_FALSE(zoomed.reduced());
  CHECK(zoomed.across().view.start + 0.25 * zoomed.across().view.cells == doctest::Approx(256));
  CHECK(zoomed.down().view.start + 0.75 * zoomed.down().view.cells == doctest::Approx(768));
  const HeatmapLayout back = zoomed.zoomed({199, 3}, 1.0 / 1000);
  CHECK(back.across().view == AxisView{0, 1024});
  const HeatmapLayout corner = zoomed.panned(1e6f, -1e6f);
  CHECK(corner.visible().columns.begin == 0);
  CHECK(corner.visible().rows.end == 1024);
  CHECK(whole.zoomed(mouse, 1e9).across().view.cells == 4);
}

TEST_CASE("layout: labels are thinned by 1, 2, 5, 10") {
  CHECK(thinned_labels({0, 6}, 20, 18) == std::vector<Index>{0, 1, 2, 3, 4, 5});
  CHECK(thinned_labels({0, 6}, 10, 18) == std::vector<Index>{0, 2, 4});
  CHECK(thinned_labels({3, 21}, 4, 18) == std::vector<Index>{5, 10, 15, 20});
  CHECK(thinned_labels({0, 1024}, 0.2f, 18) ==
        std::vector<Index>{0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000});
}

TEST_CASE("layout: where there is no room at all one label is left") {
  CHECK(thinned_labels({0, 6}, 0, 18) == std::vector<Index>{0});
  CHECK(thinned_labels({0, 6}, -1, 18) == std::vector<Index>{0});
}

TEST_CASE("reduction: the largest magnitude keeps its sign, the mean counts every visible cell") {
  const Slice slice = slice_of(
      tensor_from(2, 3, [](Index r, Index c) { return r == 1 && c == 2 ? -9.0 : 1.0 + static_cast<double>(c); }));
  const GridBlock all{{0, 2}, {0, 3}};
  CHECK(reduce(slice, all, Reduction::largest_magnitude) == Reduced{CellKind::number, -9, {1, 2}});
  CHECK(reduce(slice, all, Reduction::mean).value == doctest::Approx((1 + 2 + 3 + 1 + 2 - 9) / 6.0));
}

TEST_CASE("reduction: a NaN is never averaged away and masked cells do not count") {
  Slice slice = slice_of(tensor_from(2, 2, [](Index r, Index c) { return r == 1 && c == 1 ? std::nan("") : 5.0; }));
  CHECK(reduce(slice, {{0, 2}, {0, 2}}, Reduction::mean).kind == CellKind::nan);
  slice.hidden = tensor_from(2, 2, [](Index, Index c) { return c == 1 ? -inf : 0.0; });
  CHECK(reduce(slice, {{0, 2}, {0, 2}}, Reduction::mean) == Reduced{CellKind::number, 5, {0, 0}});
  CHECK(reduce(slice, {{0, 2}, {1, 2}}, Reduction::mean).kind == CellKind::masked);
}

TEST_CASE("slice: an infinity that the mask made is masked, another one is an infinity") {
  Slice slice = slice_of(tensor_from(1, 3, [](Index, Index c) { return c == 0 ? 1.0 : -inf; }));
  CHECK(slice.kind(0, 1) == CellKind::negative_infinity);
  slice.hidden = tensor_from(1, 3, [](Index, Index c) { return c == 2 ? -inf : 0.0; });
  CHECK(slice.kind(0, 0) == CellKind::number);
  CHECK(slice.kind(0, 1) == CellKind::negative_infinity);
  CHECK(slice.kind(0, 2) == CellKind::masked);
}

TEST_CASE("raster: no larger than the area, whatever the tensor's size") {
  const Slice slice = slice_of(Tensor::zeros(Precision::float32, {1, 40000}));
  const Raster raster = rasterize(slice, HeatmapLayout({0, 0, 300, 4}, {1, 40000, false}, 2), Reduction::mean);
  CHECK(raster.width == 600);
  CHECK(raster.height == 1);
}

TEST_CASE("raster: a double beyond what floats hold stays as it is") {
  const Slice slice = slice_of(tensor_from(1, 2, [](Index, Index c) { return c == 0 ? 1e300 : -1e300; }));
  const Raster raster = rasterize(slice, HeatmapLayout({0, 0, 80, 40}, {1, 2, false}, 1), Reduction::mean);
  CHECK(raster.at(0, 0).value == 1e300);
  CHECK(raster.at(1, 0).value == -1e300);
  CHECK(raster.at(0, 0).kind == CellKind::number);
}

TEST_CASE("numbers: as many decimals as fit, the same for all") {
  CHECK(format_that_fits(11.96, false, 5) == NumberFormat{2, false});
  CHECK(format_that_fits(11.96, true, 5) == NumberFormat{1, false});
  CHECK(format_that_fits(9.996, false, 4) == NumberFormat{1, false});  // rounds to 10.0, which must not become 10.00
  CHECK(format_that_fits(0.25, false, 6) == NumberFormat{4, false});
  CHECK(format_that_fits(0.25, false, 3) == NumberFormat{2, false, false});
  CHECK(format_that_fits(0.999, false, 3) == NumberFormat{2, false, false});
  CHECK(format_that_fits(1, true, 4) == NumberFormat{2, false, false});
  CHECK(format_that_fits(1, false, 4) == NumberFormat{2, false});
  CHECK(format_that_fits(1.01, false, 3) == NumberFormat{1, false});
  CHECK(format_that_fits(0, false, 5) == NumberFormat{3, false});
  CHECK(format_that_fits(123456789, false, 6).scientific);
  CHECK(format_that_fits(3e-9, false, 6).scientific);
}

TEST_CASE("numbers: inf and nan take the room of their three letters") {
  CHECK(format_that_fits(inf, false, 8) == NumberFormat{4, false});
  CHECK(format_that_fits(inf, false, 6) == NumberFormat{2, false});
  CHECK(format_that_fits(inf, true, 6) == NumberFormat{1, false});
  CHECK(format_that_fits(std::nan(""), false, 6) == NumberFormat{2, false});
  CHECK(format_that_fits(inf, true, 3)(-inf) == "−inf");  // where they don't fit, too
}

TEST_CASE("numbers: what is written is what was promised") {
  CHECK(NumberFormat{2}(-1.254) == "−1.25");
  CHECK(NumberFormat{2, false, false}(0.58) == ".58");
  CHECK(NumberFormat{2, false, false}(-0.58) == "−.58");
  CHECK(NumberFormat{2, false, false}(10.58) == "10.58");
  CHECK(NumberFormat{2, false, false}(0.996) == "1.0");
  CHECK(NumberFormat{2, false, false}(-1) == "−1.0");
  CHECK(NumberFormat{2}(-0.0001) == "0.00");
  CHECK(NumberFormat{1, true}(1.23e-7) == "1.2e−7");
  CHECK(NumberFormat{0, true}(4e300) == "4e300");
  CHECK(NumberFormat{2, false, true, 4}(13586.7) == "1.36");
  CHECK(NumberFormat{1, false, true, -8}(-3.14e-8) == "−3.1");
  CHECK(NumberFormat{2}(inf) == "inf");
  CHECK(NumberFormat{2}(-inf) == "−inf");
  CHECK(NumberFormat{2}(std::nan("")) == "NaN");
}

TEST_CASE("numbers: every number of a random slice fits the characters it was given") {
  for (int characters = 3; characters <= 9; ++characters) {
    for (double magnitude : {1e-12, 1e-3, 0.4, 0.99, 0.99996, 1.0, 9.7, 99.99, 1234.5, 7e8}) {
      const NumberFormat format = format_that_fits(magnitude, true, characters);
      if (format.scientific && characters < 7) continue;  // scientific numbers need at least seven characters
      for (double value : {magnitude, -magnitude, magnitude / 3, 0.0}) {
        const std::string text = format(value);
        std::size_t length = 0;
        for (char c : text) length += (c & 0xC0) != 0x80;
        CHECK_MESSAGE(length <= static_cast<std::size_t>(characters), text);
      }
    }
  }
}

}  // namespace
}  // namespace headlight
