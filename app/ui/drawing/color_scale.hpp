// Maps numbers to colours, for the colour bar, the numbers on cells and exported pictures. The shader of the heatmaps
// computes the same.
#pragma once

#include <cstdint>

#include "app/appearance.hpp"
#include "app/ui/drawing/theme.hpp"

namespace headlight {

#define HEADLIGHT_NAME(name, ...) , name
/// weights: lo to hi over one table. signed_: zero is neutral, one table for each sign. The others, which a person can
/// choose, are from lo to hi.
enum class ColorMapName : std::uint8_t { weights, signed_ HEADLIGHT_COLOUR_MAPS(HEADLIGHT_NAME) };
#undef HEADLIGHT_NAME

/// The colours of positive numbers on a signed map, and of all numbers on the others.
const ColorMap& positive_colors(const Theme& theme, ColorMapName map);

struct ColorScale {
  ColorMapName map = ColorMapName::signed_;
  double lo = -1;
  double hi = 1;
  /// Equal ratios take equal steps of colour; values at or below lo take the first colour. Needs lo > 0 and one table.
  bool logarithmic = false;
  /// The values are multiples of even attention, and the colour bar is labelled so: "×4".
  bool multiples = false;
  /// There are or may be values beyond that end, and the colour bar is labelled so: "≥ 0.5".
  bool cut_below = false;
  bool cut_above = false;

  /// ±max|v|. A magnitude of 0 gives ±1, so that zeros are neutral.
  static ColorScale symmetric(double magnitude);
  /// From zero to the end of numbers of one sign, else ±max|v|: the default of signed tensors. Zero is neutral in both.
  static ColorScale around_zero(double min, double max);
  /// 0 to max, the default of weights of few keys.
  static ColorScale from_zero(double max = 1);
  /// Multiples of even attention, ×¼ to ×64 in equal ratios: the default of weights of many keys.
  static ColorScale times_even();

  /// The same scale with room for these numbers too; one around zero stays one.
  ColorScale widened(double min, double max) const;

  bool diverging() const { return map == ColorMapName::signed_; }

  /// The position of a finite value: in [0, 1] over one table, in [-1, 1] over the two arms of a signed scale. The unit
  /// of both arms is the larger of |lo| and |hi|, so that equal magnitudes look equal. A signed scale whose range does
  /// not contain zero has one arm, stretched over the whole range.
  double position(double value) const;
  Color color_at(const Theme& theme, double position) const;
  Color color(const Theme& theme, double value) const { return color_at(theme, position(value)); }

  /// Converts a position on the colour bar, from 0 at the left to 1 at the right, to its value, and back.
  double value_on_bar(double share) const;
  double share_on_bar(double value) const;

  friend bool operator==(const ColorScale&, const ColorScale&) = default;
};

}  // namespace headlight
