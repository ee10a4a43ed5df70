#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "app/session/display/display_entries.hpp"
#include "app/ui/drawing/color_scale.hpp"

namespace headlight {
namespace {

TEST_CASE("color: hexadecimal notation both ways") {
  CHECK(hex("#1B6388") == Color{0x1B, 0x63, 0x88, 255});
  CHECK(to_hex(hex("#fAb457")) == "#FAB457");
}

TEST_CASE("color: contrast as WCAG defines it") {
  CHECK(contrast({255, 255, 255, 255}, {0, 0, 0, 255}) == doctest::Approx(21));
  CHECK(contrast({0x77, 0x77, 0x77, 255}, {255, 255, 255, 255}) == doctest::Approx(4.478).epsilon(0.001));
}

TEST_CASE("theme: numbers on any cell colour are readable, lit and quiet") {
  for (ThemeName name : {ThemeName::dark, ThemeName::light}) {
    const Theme& t = theme(name);
    std::vector<const ColorMap*> maps{&t.negative};
    for (std::size_t map = 0; map <= colour_map_words.size(); ++map)
      maps.push_back(&positive_colors(t, static_cast<ColorMapName>(map)));
    for (const ColorMap* map : maps) {
      for (int i = 0; i <= 1000; ++i) {
        const Color cell = map->at(i / 1000.0);
        CHECK(contrast(number_on(cell), cell) >= 4.5);
        const Color quiet = t.quiet(cell);
        CHECK(contrast(t.number_on_quiet(quiet), quiet) >= 4.5);
      }
    }
  }
}

TEST_CASE("theme: text is readable on every ground it stands on") {
  for (ThemeName name : {ThemeName::dark, ThemeName::light}) {
    const Theme& t = theme(name);
    for (Color ground : {t.canvas, t.panel, t.raised, t.field, t.hover})
      for (Color ink : {t.text, t.text2, t.text3, t.query, t.key, t.value, t.output})
        CHECK_MESSAGE(contrast(ink, ground) >= 4.5, to_hex(ink), " on ", to_hex(ground));
    CHECK(contrast(t.lamp_ink, t.lamp) >= 4.5);
  }
}

TEST_CASE("theme: magnitude has one direction of lightness in every map of ours, and both signs agree") {
  for (ThemeName name : {ThemeName::dark, ThemeName::light}) {
    const Theme& t = theme(name);
    const double sign = t.dark() ? 1 : -1;
    for (const ColorMap* map : {&t.weights, &t.positive, &t.negative})
      for (std::size_t i = 1; i < map->stops.size(); ++i)
        CHECK(sign * (luminance(map->stops[i]) - luminance(map->stops[i - 1])) > 0);
    for (std::size_t i = 0; i < 9; ++i) {
      const double positive = std::cbrt(luminance(t.positive.stops[i]));
      const double negative = std::cbrt(luminance(t.negative.stops[i]));
      CHECK(positive == doctest::Approx(negative).epsilon(0.08));
    }
  }
}

TEST_CASE("color scale: zero is neutral and equal magnitudes stand equally far from it") {
  const ColorScale scale{ColorMapName::signed_, -3, 12, false};
  CHECK(scale.position(0) == 0);
  CHECK(scale.position(12) == 1);
  CHECK(scale.position(-3) == -0.25);
  CHECK(scale.position(3) == -scale.position(-3));
  CHECK(scale.position(1e300) == 1);
}

TEST_CASE("color scale: a signed range without zero stretches the arm it has") {
  const ColorScale above{ColorMapName::signed_, 5, 15, false};
  CHECK(above.position(5) == 0);
  CHECK(above.position(10) == 0.5);
  CHECK(above.position(15) == 1);
  const ColorScale below{ColorMapName::signed_, -15, -5, false};
  CHECK(below.position(-5) == 0);
  CHECK(below.position(-10) == -0.5);
  CHECK(below.position(-20) == -1);
}

TEST_CASE("color scale: equal ratios take equal steps on a logarithmic scale") {
  const ColorScale scale{ColorMapName::weights, 0.001, 1, true};
  CHECK(scale.position(0.001) == 0);
  CHECK(scale.position(0.01) == doctest::Approx(1 / 3.0));
  CHECK(scale.position(0.1) == doctest::Approx(2 / 3.0));
  CHECK(scale.position(1) == doctest::Approx(1));
  CHECK(scale.position(0) == 0);
  CHECK(scale.position(-1) == 0);
}

TEST_CASE("color scale: the bar and the values are inverse") {
  for (const ColorScale& scale : {ColorScale{ColorMapName::signed_, -3, 12, false}, ColorScale::from_zero(0.6),
                                  ColorScale{ColorMapName::weights, 1e-4, 1, true}})
    for (double share : {0.0, 0.1, 0.5, 0.93, 1.0})
      CHECK(scale.share_on_bar(scale.value_on_bar(share)) == doctest::Approx(share));
}

TEST_CASE("color scale: a range of nothing but zeros draws zeros neutral") {
  const ColorScale scale = ColorScale::symmetric(0);
  CHECK(scale.position(0) == 0);
  CHECK(scale.color(theme(ThemeName::dark), 0) == theme(ThemeName::dark).positive.stops[0]);
}

}  // namespace
}  // namespace headlight
