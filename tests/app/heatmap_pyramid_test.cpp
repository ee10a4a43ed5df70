// A picture drawn from reduced blocks equals the picture drawn from all cells, and reads only about as many numbers as
// it has pixels.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "app/heatmap/raster.hpp"
#include "app/slices/pyramid.hpp"
#include "tests/core/some_threads.hpp"

namespace headlight {
namespace {

using testing::some_threads;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Odds {
  double masked = 0;
  double odd = 0;  ///< share of cells that are NaN or infinite
};

/// Numbers with many equal magnitudes, to test how ties are decided.
Tensor random_numbers(std::mt19937& random, Precision precision, Index rows, Index columns, const Odds& odds) {
  Tensor tensor = Tensor::uninitialized(precision, {rows, columns});
  std::uniform_real_distribution<double> share(0, 1);
  with_element_type(precision, [&](auto zero) {
    using T = decltype(zero);
    T* const values = tensor.writable<T>();
    for (Index i = 0; i < rows * columns; ++i) {
      double value = std::round(share(random) * 12 - 6) / 4;
      if (share(random) < odds.odd)
        value = share(random) < 0.3 ? std::nan("") : share(random) < 0.5 ? infinity : -infinity;
      values[i] = static_cast<T>(value);
    }
  });
  return tensor;
}

Tensor random_mask(std::mt19937& random, const Tensor& values, double share) {
  Tensor mask = Tensor::zeros(values.precision(), {values.shape()[0], values.shape()[1]});
  std::uniform_real_distribution<double> chance(0, 1);
  with_element_type(values.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < mask.elements(); ++i)
      if (chance(random) < share) mask.writable<T>()[i] = -std::numeric_limits<T>::infinity();
  });
  return mask;
}

bool same(const Raster& a, const Raster& b) {
  if (a.width != b.width || a.height != b.height) return false;
  for (std::size_t i = 0; i < a.texels.size(); ++i)
    if (a.texels[i].value != b.texels[i].value || a.texels[i].kind != b.texels[i].kind) return false;
  return true;
}

double pick(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

TEST_CASE("pyramid: every picture is that of the cells, whatever is in them and however they lie in memory") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const auto rows = static_cast<Index>(pick(random, 1, 300));
    const auto columns = static_cast<Index>(pick(random, 1, 300));
    const Precision precision = round % 2 ? Precision::float32 : Precision::float64;
    const Odds odds{round % 3 == 0 ? 0.7 : 0, round % 5 == 0 ? 0.002 : 0};
    Slice slice = slice_of(random_numbers(random, precision, rows, columns, odds));
    if (odds.masked > 0) slice.hidden = random_mask(random, slice.values, odds.masked);
    if (round % 4 == 1) slice.values = slice.values.transposed(0, 1);
    if (round % 4 == 1 && !slice.hidden.empty()) slice.hidden = slice.hidden.transposed(0, 1);
    if (round % 7 == 3)
      slice = {slice.values.narrowed(1, slice.columns() / 2, slice.columns() - slice.columns() / 2), {}};
    const bool transposed = round % 6 > 2;
    const HeatmapShape shape{slice.rows(), slice.columns(), transposed};
    Pyramid pyramid(slice);
    if (round % 3 == 1) {
      pyramid.prepare(some_threads());
    }
    for (int view = 0; view < 6; ++view) {
      const Rect area{3, 4, static_cast<float>(pick(random, 2, 90)), static_cast<float>(pick(random, 2, 90))};
      HeatmapLayout layout(area, shape, view % 2 ? 1.0f : 1.5f);
      if (view > 2) layout = layout.zoomed(area.center(), pick(random, 1, 9)).panned(7, -5);
      CHECK(same(rasterize(pyramid, layout, some_threads()), rasterize(slice, layout, Reduction::largest_magnitude)));
    }
  }
}

TEST_CASE("pyramid: hovering reads what the picture shows") {
  std::mt19937 random(6);
  const Slice slice = slice_of(random_numbers(random, Precision::float32, 700, 900, {0, 0.0005}));
  const HeatmapLayout layout({0, 0, 60, 50}, {700, 900, false}, 1);
  Pyramid pyramid(slice);
  const Raster raster = rasterize(pyramid, layout, some_threads());
  for (int y = 0; y < raster.height; ++y) {
    for (int x = 0; x < raster.width; ++x) {
      const auto block = layout.block_at({static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f});
      REQUIRE(block);
      const Reduced under = reduce(slice, *block, Reduction::largest_magnitude);
      REQUIRE(raster.at(x, y).kind == under.kind);
      if (under.kind == CellKind::number) REQUIRE(raster.at(x, y).value == under.value);
      if (under.kind == CellKind::number) REQUIRE(slice.value(under.cell.row, under.cell.column) == under.value);
    }
  }
}

TEST_CASE("pyramid: every cell is read once, and then a picture costs its pixels") {
  std::mt19937 random(7);
  const Index side = 2048;
  const Slice slice = slice_of(random_numbers(random, Precision::float32, side, side, {}));
  const HeatmapLayout far({0, 0, 100, 100}, {side, side, false}, 1);
  Pyramid pyramid(slice);
  CHECK(rasterize(pyramid, far, some_threads()).cells_read == side * side);
  for (double factor : {1.0, 1.1, 1.5, 2.0, 2.5, 4.0, 6.0, 20.0}) {
    CAPTURE(factor);
    const HeatmapLayout near = far.zoomed({35, 55}, factor);
    const Raster raster = rasterize(pyramid, near, some_threads());
    // With fewer than 16 cells per pixel along an axis the cells themselves are read; 17 because edges may cut cells.
    CHECK(raster.cells_read <= 17 * 17 * static_cast<Index>(raster.texels.size()));
  }
}

TEST_CASE("pyramid: once it is prepared, a far picture reads no cell, nor does one of a copy") {
  std::mt19937 random(9);
  const Slice slice = slice_of(random_numbers(random, Precision::float32, 1500, 1100, {}));
  Pyramid prepared(slice);
  prepared.prepare(some_threads());
  CHECK(prepared.cells_read() == 1500 * 1100);
  const Pyramid copied = prepared;
  for (const float side : {7.0f, 20.0f, 60.0f}) {
    CAPTURE(side);
    Pyramid pyramid = copied;
    const HeatmapLayout layout({0, 0, side, 1.5f * side}, {1500, 1100, false}, 1);
    const Raster raster = rasterize(pyramid, layout, some_threads());
    CHECK(raster.cells_read == 0);
    CHECK(same(raster, rasterize(slice, layout, Reduction::largest_magnitude)));
  }
}

TEST_CASE("pyramid: one axis may be crowded and the other not") {
  std::mt19937 random(8);
  const Slice slice = slice_of(random_numbers(random, Precision::float32, 3, 40'000, {}));
  const HeatmapLayout layout({0, 0, 300, 30}, {3, 40'000, false}, 1);
  Pyramid pyramid(slice);
  const Raster raster = rasterize(pyramid, layout, some_threads());
  CHECK(raster.width == 300);
  CHECK(raster.height == 3);
  CHECK(same(raster, rasterize(slice, layout, Reduction::largest_magnitude)));
}

}  // namespace
}  // namespace headlight
