// The numbers on cells: as many digits as fit, with the same number of decimals in the whole slice.
#pragma once

#include <string>

#include "app/heatmap/heatmap.hpp"

namespace headlight {

/// The format of all numbers in a matrix, so that its columns align.
struct NumberFormat {
  int decimals = 2;
  bool scientific = false;
  bool leading_zero = true;  ///< "0.41", or ".41" beside "1.0" if no number is above 1 and room is short
  int power = 0;  ///< numbers are written as multiples of this power of ten, which is shown beside the matrix

  /// "−1.25", "0.413", ".41", "1.2e−7". Infinities and NaN as words.
  std::string operator()(double value) const;
  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

/// The most decimals (at most `most_decimals`) with which all numbers of magnitude up to `largest` fit `characters`.
/// Scientific if plain digits would not fit, or would show only zeros.
NumberFormat format_that_fits(double largest, bool any_negative, int characters, int most_decimals = 4);

/// The common power of ten of the visible numbers, for the title beside them. 4 if plain digits do not fit, as 13586 in
/// four characters, which is then 1.36. -3 if signed numbers below 0.1 would have a single digit and gain one, as
/// -0.0089 in five characters, which is then -8.90. 0 if plain digits suffice, or if there are no numbers.
int shared_power(const Canvas& canvas, const Heatmap& heatmap);

/// "×10⁴"; empty for 0.
std::string power_words(int power);

/// The number of characters that fit in a cell of this layout; 0 if there is no room for numbers.
int characters_that_fit(const Canvas& canvas, const HeatmapLayout& layout);

/// The number of characters of the smallest type that fit in a cell.
int most_characters_that_fit(const Canvas& canvas, const HeatmapLayout& layout);

/// Writes the numbers of visible cells, and words for NaN and infinities, if the cells are large enough, and returns
/// whether they are. Whole numbers have no decimals: an exact 0 is "0", a rounded one "0.00". `power` is the power of
/// ten that the caller writes beside them, see shared_power; with 0, each number that does not fit is scientific.
bool draw_numbers(const Canvas& canvas, const Heatmap& heatmap, int power = 0);

/// Draws a dash into each negative cell of a signed scale if cells are large enough, because in grey its colour looks
/// like a positive one's. Only drawings that are exported as shapes have dashes.
void draw_signs(const Canvas& canvas, const Heatmap& heatmap);

}  // namespace headlight
