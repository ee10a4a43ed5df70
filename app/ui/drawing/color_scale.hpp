// How a number becomes a colour. The shader of the heatmaps computes the same; the colour bar, the numbers on cells and
// the exported pictures use this.
#pragma once

#include <cstdint>

#include "app/ui/drawing/theme.hpp"

namespace headlight {

enum class ColorMapName : std::uint8_t {
  weights,  ///< lo to hi over one table
  signed_,  ///< zero is neutral, one table for each sign
  viridis,  ///< lo to hi, alternatives
  magma,
};

struct ColorScale {
  ColorMapName map = ColorMapName::signed_;
  double lo = -1;
  double hi = 1;
  /// One table only, lo > 0: equal ratios take equal steps; what is at or below lo takes the first colour.
  bool logarithmic = false;

  /// ±max|v|, the default of signed tensors. A magnitude of 0 gives ±1, so that zeros are neutral.
  static ColorScale symmetric(double magnitude);
  /// 0 to max, the default of weights.
  static ColorScale from_zero(double max = 1);

  bool diverging() const { return map == ColorMapName::signed_; }

  /// Where a finite value stands: in [0, 1] over one table, in [-1, 1] over both arms of a signed scale. Their unit is
  /// the larger of |lo| and |hi|, so that equal magnitudes look equal. A signed scale without zero in it stretches the
  /// one arm it has from its nearer to its farther end.
  double position(double value) const;
  Color color_at(const Theme& theme, double position) const;
  Color color(const Theme& theme, double value) const { return color_at(theme, position(value)); }

  /// The colour bar from left (0) to right (1): the value there, and back. Inverse of each other inside the range.
  double value_on_bar(double share) const;
  double share_on_bar(double value) const;

  friend bool operator==(const ColorScale&, const ColorScale&) = default;
};

}  // namespace headlight
