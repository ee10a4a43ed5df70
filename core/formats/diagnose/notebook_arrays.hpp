// The arrays that a Jupyter notebook has printed, as it was saved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/arrays/report.hpp"

namespace headlight {

/// Bytes. A notebook may hold pictures.
constexpr std::int64_t largest_notebook = std::int64_t{64} << 20;

/// What the cells printed or ended with, in their order, read as printouts (printed_arrays.hpp). Where a cell says the
/// name in its code alone, as in "print(scores)" or "scores" on its last line, it is that. Of arrays of one name the
/// last counts. Output that is no whole array, as one with "..." in it, is left out. Throws InputError naming `source`
/// if the text is no notebook, or if none of its cells shows an array.
std::vector<GivenArray> parse_notebook(std::string_view text, const std::string& source);

}  // namespace headlight
