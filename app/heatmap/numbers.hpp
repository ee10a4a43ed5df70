// The numbers on the cells: as many digits as fit, with the same number of decimals all over a slice.
#pragma once

#include <string>

#include "app/heatmap/heatmap.hpp"

namespace headlight {

/// How the numbers of one matrix are written, so that its columns align.
struct NumberFormat {
  int decimals = 2;
  bool scientific = false;
  bool leading_zero = true;  ///< "0.41", or ".41" beside "1.0" where no number is above 1 and room is short
  int power = 0;  ///< numbers are written as multiples of this power of ten, which is shown beside the matrix

  /// "−1.25", "0.413", ".41", "1.2e−7". Infinities and NaN by their words.
  std::string operator()(double value) const;
  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

/// The most decimals (at most `most_decimals`) with which all numbers of magnitude up to `largest` fit `characters`.
/// Scientific if plain digits would not fit, or would show only zeros.
NumberFormat format_that_fits(double largest, bool any_negative, int characters, int most_decimals = 4);

/// The power of ten that the visible numbers share, for the title beside them: 4 where plain digits would not fit, as
/// with 13586 in four characters, which is then 1.36, and -3 where signed numbers below 0.1 would show a single digit
/// and gain one, as with -0.0089 in five, which is then -8.90. 0 where plain digits do, and where there are no numbers.
int shared_power(const Canvas& canvas, const Heatmap& heatmap);

/// "×10⁴"; empty for 0.
std::string power_words(int power);

/// Characters of numbers that fit a cell of this layout; 0 when it has no room for numbers.
int characters_that_fit(const Canvas& canvas, const HeatmapLayout& layout);

/// Writes the visible cells' numbers, and words for NaN and infinities, if the cells are large enough, and returns
/// whether they are. Whole numbers have no decimals: an exact 0 is "0", what rounds to it "0.00". `power` is the power
/// of ten that the caller writes beside them, see shared_power; with 0, numbers that do not fit are scientific, each by
/// itself.
bool draw_numbers(const Canvas& canvas, const Heatmap& heatmap, int power = 0);

/// Draws a dash into each negative cell of a signed scale, where cells are large enough for one: in grey its colour
/// would not tell it from a positive one. Only drawings that are taken away as shapes have them.
void draw_signs(const Canvas& canvas, const Heatmap& heatmap);

}  // namespace headlight
