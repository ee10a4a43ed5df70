#include "app/ui/drawing/color.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace headlight {
namespace {

std::uint8_t mixed_channel(std::uint8_t from, std::uint8_t to, double t) {
  return static_cast<std::uint8_t>(std::lround(from + (to - from) * t));
}

/// From a table, because each frame asks for thousands.
double linear_light(std::uint8_t channel) {
  static const std::array<double, 256> light = [] {
    std::array<double, 256> of_channel{};
    for (std::size_t i = 0; i < of_channel.size(); ++i) {
      const double v = static_cast<double>(i) / 255;
      of_channel[i] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    }
    return of_channel;
  }();
  return light[channel];
}

}  // namespace

std::string to_hex(Color color) { return fmt::format("#{:02X}{:02X}{:02X}", color.r, color.g, color.b); }

Color faded(Color color, float opacity) {
  color.a = static_cast<std::uint8_t>(std::lround(static_cast<float>(color.a) * std::clamp(opacity, 0.0f, 1.0f)));
  return color;
}

Color mix(Color from, Color to, double t) {
  return {mixed_channel(from.r, to.r, t), mixed_channel(from.g, to.g, t), mixed_channel(from.b, to.b, t),
          mixed_channel(from.a, to.a, t)};
}

double luminance(Color color) {
  return 0.2126 * linear_light(color.r) + 0.7152 * linear_light(color.g) + 0.0722 * linear_light(color.b);
}

double contrast(Color a, Color b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

Color ColorMap::at(double t) const {
  if (!(t > 0)) return stops.front();
  if (t >= 1) return stops.back();
  const double position = t * static_cast<double>(stops.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  return mix(stops[below], stops[below + 1], position - static_cast<double>(below));
}

}  // namespace headlight
