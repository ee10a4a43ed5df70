// Decodes the colour of every pixel of a heatmap back to a number, which must be the tensor's.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/app/heatmap_sheet.hpp"
#include "tests/app/sheet_app.hpp"

namespace headlight {
namespace {

int distance(Color a, Color b) { return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)}); }

/// The value that has this colour, searched along a fine colour bar.
double decoded(const Theme& t, const ColorScale& scale, Color color) {
  double best = 0;
  int closest = 1000;
  for (int i = 0; i <= 4000; ++i) {
    const double value = scale.value_on_bar(i / 4000.0);
    const int d = distance(scale.color(t, value), color);
    if (d < closest) {
      closest = d;
      best = value;
    }
  }
  CHECK(closest <= 1);
  return best;
}

struct Case {
  const char* name;
  ColorScale scale;
  ThemeName theme;
  bool transposed;
  float scale_of_display;
};

TEST_CASE("heatmap: every cell's colour maps back to its value through the colour bar") {
  const Case cases[] = {
      {"signed, dark", ColorScale::symmetric(1), ThemeName::dark, false, 1},
      {"signed, light, transposed, 2x", ColorScale::symmetric(1), ThemeName::light, true, 2},
      {"weights", {ColorMapName::weights, -1, 1, false}, ThemeName::dark, true, 1},
      {"viridis", {ColorMapName::viridis, -1, 1, false}, ThemeName::light, false, 1.25f},
  };
  const Slice slice = slice_of(tensor_from(9, 14, scattered));
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto make = [&](float scale) {
      return make_heatmap(slice, c.scale, {8, 10, 223.6f, 180}, scale, c.transposed);
    };
    const Image image = heatmap_picture(make, {c.theme, c.scale_of_display});
    const Heatmap heatmap = make(c.scale_of_display);
    const Theme& t = theme(c.theme);
    for (Index row = 0; row < 9; ++row) {
      for (Index column = 0; column < 14; ++column) {
        const Point at = heatmap.layout.rect_of(GridCell{row, column}).center() * c.scale_of_display;
        const Color drawn = image.at(static_cast<int>(at.x), static_cast<int>(at.y));
        CHECK(distance(drawn, heatmap.color_of(t, {row, column})) <= 1);
        CHECK(std::abs(decoded(t, c.scale, drawn) - slice.value(row, column)) < 0.02);
      }
    }
  }
}

TEST_CASE("heatmap: numbers and scales beyond float32 have the colours of any others") {
  const Theme& t = theme(ThemeName::dark);
  for (const double size : {1e-300, 1e-45, 1e-37, 1e37, 1e38, 1e39, 1e160, 1e308}) {
    for (const bool positive : {false, true}) {
      CAPTURE(size);
      const auto number = [&](Index r, Index c) {
        return size * (positive ? 0.5 + std::abs(scattered(r, c)) / 2 : scattered(r, c));
      };
      const ColorScale scale =
          positive ? ColorScale{ColorMapName::viridis, size / 2, size, false} : ColorScale::symmetric(size);
      const Slice slice = slice_of(tensor_from(9, 14, number));
      const auto make = [&](float pixels) { return make_heatmap(slice, scale, {8, 10, 223.6f, 180}, pixels); };
      const Image image = heatmap_picture(make, {ThemeName::dark, 1});
      const Heatmap heatmap = make(1);
      for (const GridCell& cell : {GridCell{0, 0}, GridCell{3, 5}, GridCell{8, 13}, GridCell{6, 1}}) {
        const Point at = heatmap.layout.rect_of(cell).center();
        CHECK(distance(image.at(static_cast<int>(at.x), static_cast<int>(at.y)), heatmap.color_of(t, cell)) <= 1);
      }
    }
  }
}

TEST_CASE("heatmap: every pixel of the picture has the colour of the cell that the mouse would find there") {
  const Slice slice = slice_of(tensor_from(37, 53, scattered));
  const auto make = [&](float scale) { return make_heatmap(slice, ColorScale::symmetric(1), {5, 7, 219, 171}, scale); };
  const Image image = heatmap_picture(make);
  const Heatmap heatmap = make(1);
  const Theme& t = theme(ThemeName::dark);
  REQUIRE(heatmap.layout.gap() == 0);
  for (int y = 7; y < 178; ++y) {
    for (int x = 5; x < 224; ++x) {
      const auto cell = heatmap.layout.cell_at({static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f});
      REQUIRE(cell);
      REQUIRE(distance(image.at(x, y), heatmap.color_of(t, *cell)) <= 1);
    }
  }
}

TEST_CASE("heatmap: 1024² in 200 px equals the reduction of every cell, for both reductions") {
  const Slice slice = slice_of(tensor_from(1024, 1024, scattered));
  const Theme& t = theme(ThemeName::dark);
  for (Reduction reduction : {Reduction::largest_magnitude, Reduction::mean}) {
    const ColorScale scale = ColorScale::symmetric(reduction == Reduction::mean ? 0.5 : 1);
    const auto make = [&](float canvas_scale) {
      Heatmap heatmap = make_heatmap(slice, scale, {0, 0, 200, 200}, canvas_scale);
      heatmap.reduction = reduction;
      return heatmap;
    };
    const Image image = heatmap_picture(make, {.width = 200, .height = 200});
    // A reference without the renderer's code: pixel p holds the cells from floor(p·n/200) up to floor((p+1)·n/200).
    for (int y = 0; y < 200; ++y) {
      for (int x = 0; x < 200; ++x) {
        double extreme = 0;
        double sum = 0;
        int cells = 0;
        for (int row = y * 1024 / 200; row < (y + 1) * 1024 / 200; ++row) {
          for (int column = x * 1024 / 200; column < (x + 1) * 1024 / 200; ++column) {
            const double v = scattered(row, column);
            if (std::abs(v) > std::abs(extreme)) extreme = v;
            sum += v;
            ++cells;
          }
        }
        const double expected = reduction == Reduction::mean ? sum / cells : extreme;
        REQUIRE(distance(image.at(x, y), scale.color(t, expected)) <= 1);
        REQUIRE(make(1).at({static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f})->value ==
                doctest::Approx(expected));
      }
    }
  }
}

TEST_CASE("heatmap: one outlier in 4096² cells is seen") {
  Tensor tensor = Tensor::zeros(Precision::float32, {4096, 4096});
  tensor.writable<float>()[3001 * 4096 + 17] = -1;
  const auto make = [&](float scale) {
    return make_heatmap(slice_of(tensor), ColorScale::symmetric(1), {0, 0, 128, 128}, scale);
  };
  const Image image = heatmap_picture(make, {.width = 128, .height = 128});
  const Theme& t = theme(ThemeName::dark);
  CHECK(image.at(17 * 128 / 4096, 3001 * 128 / 4096) == t.negative.stops.back());
  CHECK(image.at(64, 64) == t.positive.stops.front());
}

TEST_CASE("heatmap: quiet cells are drawn as the theme says") {
  const Slice slice = slice_of(tensor_from(4, 4, scattered));
  for (ThemeName name : {ThemeName::dark, ThemeName::light}) {
    const auto make = [&](float scale) {
      Heatmap heatmap = make_heatmap(slice, ColorScale::symmetric(1), {0, 0, 200, 200}, scale, true);
      heatmap.emphasis = {IndexRange::one(1), IndexRange{2, 4}, 1};
      return heatmap;
    };
    const Image image = heatmap_picture(make, {name});
    const Heatmap heatmap = make(1);
    int quiet = 0;
    for (Index row = 0; row < 4; ++row) {
      for (Index column = 0; column < 4; ++column) {
        const Point at = heatmap.layout.rect_of(GridCell{row, column}).center();
        const Color drawn = image.at(static_cast<int>(at.x), static_cast<int>(at.y));
        const Color full = heatmap.scale.color(theme(name), slice.value(row, column));
        const bool lit = row == 1 || column >= 2;
        quiet += !lit;
        CHECK(distance(drawn, lit ? full : theme(name).quiet(full)) <= 2);
      }
    }
    CHECK(quiet == 6);
  }
}

TEST_CASE("heatmap: a masked cell is hatched and a NaN is outlined, whatever the scale") {
  Slice slice = slice_of(tensor_from(2, 2, [](Index r, Index) { return r == 0 ? 1.0 : std::nan(""); }));
  slice.hidden = tensor_from(
      2, 2, [](Index r, Index c) { return r == 0 && c == 1 ? -std::numeric_limits<double>::infinity() : 0.0; });
  const auto make = [&](float scale) { return make_heatmap(slice, ColorScale::from_zero(), {0, 0, 120, 120}, scale); };
  const Image image = heatmap_picture(make);
  const Theme& t = theme(ThemeName::dark);
  const Heatmap heatmap = make(1);
  const Rect masked = heatmap.layout.rect_of(GridCell{0, 1});
  int ground = 0;
  int ink = 0;
  for (float y = masked.y + 3; y < masked.bottom() - 3; ++y) {
    for (float x = masked.x + 3; x < masked.right() - 3; ++x) {
      const Color drawn = image.at(static_cast<int>(x), static_cast<int>(y));
      ground += drawn == t.mask_background;
      ink += distance(drawn, t.mask_ink) < 40;
    }
  }
  CHECK(ground > 500);
  CHECK(ink > 100);
  const Rect broken = heatmap.layout.rect_of(GridCell{1, 0});
  CHECK(image.at(static_cast<int>(broken.center().x), static_cast<int>(broken.y)) == t.error);
  CHECK(image.at(static_cast<int>(broken.center().x), static_cast<int>(broken.center().y)) == t.panel);
}

TEST_CASE("heatmap: a texture is uploaded when the numbers change, and not otherwise") {
  const Tensor first = tensor_from(16, 16, scattered);
  Slice slice = slice_of(first);
  double limit = 1;
  float x = 0;
  SheetApp app([&](FrameContext& frame) {
    frame.heatmaps.draw(frame.ui.canvas(), make_heatmap(slice, ColorScale::symmetric(limit), {x, 0, 64, 64}, 1));
  });
  Offscreen surface(app, 200, 100);
  const auto rendered = [&](int frames) {
    for (int i = 0; i < frames; ++i) {
      surface.frames(1);
      surface.picture();
    }
  };
  surface.frames(3);
  CHECK(surface.heatmaps().work() == HeatmapWork{});  // no picture was asked for yet, so nothing was drawn
  rendered(3);
  CHECK(surface.heatmaps().work().uploads == 1);
  limit = 2;
  x = 30;
  rendered(3);
  CHECK(surface.heatmaps().work().uploads == 1);
  slice = slice_of(first.transposed(0, 1));
  rendered(1);
  CHECK(surface.heatmaps().work().uploads == 2);
  CHECK(surface.heatmaps().held() == 2);
  rendered(12);
  CHECK(surface.heatmaps().held() == 1);
}

}  // namespace
}  // namespace headlight
