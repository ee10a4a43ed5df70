// The numbers on the cells: as many digits as fit, equally many decimals all over a slice, where there is room.
#pragma once

#include <string>

#include "app/heatmap/heatmap.hpp"

namespace headlight {

/// How the numbers of one matrix are written, so that its columns align.
struct NumberFormat {
  int decimals = 2;
  bool scientific = false;
  bool leading_zero = true;  ///< "0.41", or ".41" where all numbers are below 1 and room is short

  /// "−1.25", "0.413", ".41", "1.2e−7". Infinities and NaN by their words.
  std::string operator()(double value) const;
  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

/// The most decimals (at most `most_decimals`) with which all numbers of magnitude up to `largest` fit `characters`.
/// Scientific where plain digits would not fit, or would show nothing but zeros.
NumberFormat format_that_fits(double largest, bool any_negative, int characters, int most_decimals = 4);

/// Reads the visible numbers of the heatmap and chooses for them all.
NumberFormat format_for(const Heatmap& heatmap, int characters);

/// Characters of numbers that fit a cell of this layout; 0 when it has no room for numbers.
int characters_that_fit(const Canvas& canvas, const HeatmapLayout& layout);

/// Writes the visible cells' numbers, and the words of NaN and infinities. Costs nothing below the pitch that has room.
/// Returns whether there is room for numbers. `opacity` lets them fade in while a zoom makes room.
bool draw_numbers(const Canvas& canvas, const Heatmap& heatmap, float opacity = 1);

}  // namespace headlight
