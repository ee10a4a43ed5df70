// A colour, and the functions of colours that the design needs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace headlight {

/// 8-bit sRGB with straight alpha.
struct Color {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  std::uint8_t a = 255;

  friend bool operator==(const Color&, const Color&) = default;
};

/// "#RRGGBB"
constexpr Color hex(std::string_view text) {
  const auto digit = [&](std::size_t i) {
    const char c = text[i];
    return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  };
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(16 * digit(i) + digit(i + 1)); };
  return {byte(1), byte(3), byte(5), 255};
}
std::string to_hex(Color color);

/// The colour with its alpha scaled by `opacity` in [0, 1].
Color faded(Color color, float opacity);
/// Linear in sRGB, as in the colour tables; t in [0, 1].
Color mix(Color from, Color to, double t);
/// Relative luminance in [0, 1] and contrast in [1, 21], as WCAG 2 defines them.
double luminance(Color color);
double contrast(Color a, Color b);

/// A colour table: nine stops from 0 to the maximum, linear in sRGB between them.
struct ColorMap {
  std::array<Color, 9> stops;

  /// t is clamped to [0, 1].
  Color at(double t) const;
};
constexpr ColorMap color_map(std::array<std::string_view, 9> hexes) {
  ColorMap map;
  for (std::size_t i = 0; i < hexes.size(); ++i) map.stops[i] = hex(hexes[i]);
  return map;
}

}  // namespace headlight
