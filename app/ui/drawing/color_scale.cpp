#include "app/ui/drawing/color_scale.hpp"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

/// The position between a and b, clamped to [0, 1]. The numbers are halved first, so that no finite range overflows.
double share(double value, double a, double b) {
  if (a == b) return value > a ? 1 : 0;
  return std::clamp((value / 2 - a / 2) / (b / 2 - a / 2), 0.0, 1.0);
}

}  // namespace

const ColorMap& positive_colors(const Theme& theme, ColorMapName map) {
  switch (map) {
    case ColorMapName::weights: return theme.weights;
    case ColorMapName::signed_: break;
#define HEADLIGHT_CASE(name, words, ...)                         \
  case ColorMapName::name: {                                     \
    static constexpr ColorMap colors = color_map({__VA_ARGS__}); \
    return colors;                                               \
  }
      HEADLIGHT_COLOUR_MAPS(HEADLIGHT_CASE)
#undef HEADLIGHT_CASE
  }
  return theme.positive;
}

ColorScale ColorScale::symmetric(double magnitude) {
  const double m = magnitude > 0 ? magnitude : 1;
  return {ColorMapName::signed_, -m, m};
}

ColorScale ColorScale::around_zero(double min, double max) {
  if (min >= 0 && max > 0) return {ColorMapName::signed_, 0, max};
  if (max <= 0 && min < 0) return {ColorMapName::signed_, min, 0};
  return symmetric(std::max(std::abs(min), std::abs(max)));
}

ColorScale ColorScale::from_zero(double max) { return {ColorMapName::weights, 0, max}; }

ColorScale ColorScale::widened(double min, double max) const {
  const double low = std::min(lo, min);
  const double high = std::max(hi, max);
  if (diverging() && (lo == -hi || lo == 0 || hi == 0)) return around_zero(low, high);
  ColorScale wider = *this;
  wider.lo = low;
  wider.hi = high;
  return wider;
}

ColorScale ColorScale::times_even() {
  return {.map = ColorMapName::weights,
          .lo = 0.25,
          .hi = 64,
          .logarithmic = true,
          .multiples = true,
          .cut_below = true,
          .cut_above = true};
}

double ColorScale::position(double value) const {
  if (!diverging()) return share_on_bar(value);
  if (lo > 0) return share(value, lo, hi);
  if (hi < 0) return -share(value, hi, lo);
  const double unit = std::max(-lo, hi);
  return unit > 0 ? std::clamp(value / unit, -1.0, 1.0) : 0;
}

Color ColorScale::color_at(const Theme& theme, double position) const {
  if (diverging() && position < 0) return theme.negative.at(-position);
  return positive_colors(theme, map).at(position);
}

double ColorScale::value_on_bar(double share) const {
  if (logarithmic && lo > 0) return lo * std::pow(hi / lo, share);
  return lo + (hi - lo) * share;
}

double ColorScale::share_on_bar(double value) const {
  if (logarithmic && lo > 0) return value > lo ? std::clamp(std::log(value / lo) / std::log(hi / lo), 0.0, 1.0) : 0;
  return share(value, lo, hi);
}

}  // namespace headlight
