// What people see who lack one of the three kinds of cones, or all but one: a picture of each palette is simulated, and
// its neighbours that must differ still do.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/platform/pictures/image.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/ui/drawing/color_scale.hpp"
#include "app/ui/drawing/theme.hpp"
#include "app/views/window/present_view.hpp"

namespace headlight {
namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

struct Sight {
  std::string name;
  Matrix seen;  ///< of linear light
};

/// Machado, Oliveira and Fernandes (2009), at full severity; and lightness alone.
const std::vector<Sight> sights{
    {"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"no red", {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"no green", {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"no blue", {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
};
const Sight lightness{"lightness", {{{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}}}};

Triple times(const Matrix& matrix, const Triple& light) {
  Triple result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) result[i] += matrix[i][k] * light[k];
  return result;
}

double linear(std::uint8_t level) {
  const double v = level / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
std::uint8_t level_of(double light) {
  const double v = std::clamp(light, 0.0, 1.0);
  return static_cast<std::uint8_t>(
      std::lround(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055)));
}

Color seen_by(const Sight& sight, Color color) {
  const Triple light = times(sight.seen, {linear(color.r), linear(color.g), linear(color.b)});
  return {level_of(light[0]), level_of(light[1]), level_of(light[2]), color.a};
}

/// CIE L*a*b*, in which a distance of about 2.3 can just be seen.
Triple lab(Color color) {
  constexpr Matrix xyz{
      {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
  constexpr Triple white{0.95047, 1, 1.08883};
  Triple f = times(xyz, {linear(color.r), linear(color.g), linear(color.b)});
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = f[i] / white[i];
    f[i] = share > 216.0 / 24389 ? std::cbrt(share) : (24389.0 / 27 * share + 16) / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double difference(Color a, Color b) {
  const Triple p = lab(a), q = lab(b);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/// A picture of a scale as its bar shows it, a cell for each ninth, as the sight has it.
std::vector<Color> picture_of(const ColorMap& map, const Sight& sight) {
  std::vector<Color> cells;
  for (int i = 0; i <= 8; ++i) cells.push_back(seen_by(sight, map.at(i / 8.0)));
  return cells;
}

std::vector<std::pair<std::string, const ColorMap*>> maps_of(const Theme& t) {
  std::vector<std::pair<std::string, const ColorMap*>> maps{
      {"weights", &t.weights}, {"positive", &t.positive}, {"negative", &t.negative}};
  for (std::size_t map = 1; map < colour_map_words.size(); ++map)
    maps.emplace_back(colour_map_words[map].name, &positive_colors(t, static_cast<ColorMapName>(map + 1)));
  return maps;
}

constexpr double clearly = 6;  // between neighbours that touch
constexpr double apart = 10;   // between things that are far from each other

TEST_CASE("neighbouring steps of every colour map differ for everybody") {
  for (const ThemeName name : {ThemeName::dark, ThemeName::light})
    for (const auto& [map_name, map] : maps_of(theme(name)))
      for (const Sight& sight : sights) {
        const std::vector<Color> cells = picture_of(*map, sight);
        for (std::size_t i = 1; i < cells.size(); ++i)
          CHECK_MESSAGE(difference(cells[i - 1], cells[i]) >= clearly, map_name, " step ", i, ", ", sight.name);
      }
}

TEST_CASE("the colours of both signs differ for everybody, also where they are weak") {
  for (const ThemeName name : {ThemeName::dark, ThemeName::light}) {
    const Theme& t = theme(name);
    for (const Sight& sight : sights) {
      const std::vector<Color> above = picture_of(t.positive, sight), below = picture_of(t.negative, sight);
      for (std::size_t i = 1; i < above.size(); ++i)
        CHECK_MESSAGE(difference(above[i], below[i]) >= apart, "step ", i, ", ", sight.name);
    }
  }
}

TEST_CASE("query, key, value and output differ for everybody") {
  for (const ThemeName name : {ThemeName::dark, ThemeName::light}) {
    const Theme& t = theme(name);
    const std::array hues{t.query, t.key, t.value, t.output};
    for (const Sight& sight : sights)
      for (std::size_t a = 0; a < hues.size(); ++a)
        for (std::size_t b = a + 1; b < hues.size(); ++b)
          CHECK_MESSAGE(difference(seen_by(sight, hues[a]), seen_by(sight, hues[b])) >= apart, a, " and ", b, ", ",
                        sight.name);
    for (const Sight& sight : sights) CHECK(difference(seen_by(sight, t.ok), seen_by(sight, t.error)) >= apart);
  }
}

TEST_CASE("the three pens differ for everybody") {
  for (const ThemeName name : {ThemeName::dark, ThemeName::light})
    for (const Sight& sight : sights)
      for (const auto& [a, b] : {std::pair{PenColour::red, PenColour::ink}, std::pair{PenColour::ink, PenColour::blue},
                                 std::pair{PenColour::blue, PenColour::red}})
        CHECK(difference(seen_by(sight, pen_color(a, theme(name))), seen_by(sight, pen_color(b, theme(name)))) >=
              apart);
}

TEST_CASE("viridis and safe are read the same by everybody, also without any colour") {
  std::vector<Sight> all = sights;
  all.push_back(lightness);
  for (const ColorMapName name : {ColorMapName::viridis, ColorMapName::safe})
    for (const Sight& sight : all) {
      const std::vector<Color> cells = picture_of(positive_colors(theme(ThemeName::dark), name), sight);
      for (std::size_t i = 1; i < cells.size(); ++i)
        CHECK_MESSAGE(lab(cells[i])[0] > lab(cells[i - 1])[0] + 3,
                      colour_map_words[static_cast<std::size_t>(name) - 1].name, " step ", i, ", ", sight.name);
    }
}

TEST_CASE("safe looks the same to people who see no red or no green") {
  const ColorMap& map = positive_colors(theme(ThemeName::dark), ColorMapName::safe);
  const std::vector<Color> cells = picture_of(map, sights[0]);
  for (const Sight& sight : {sights[1], sights[2]})
    for (std::size_t i = 0; i < cells.size(); ++i)
      CHECK_MESSAGE(difference(cells[i], seen_by(sight, cells[i])) < apart, "step ", i, ", ", sight.name);
}

}  // namespace
}  // namespace headlight
