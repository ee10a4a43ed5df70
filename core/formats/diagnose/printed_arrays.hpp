// Several arrays in a printout, with their names.
#pragma once

#include <string_view>
#include <vector>

#include "core/diagnose/arrays/report.hpp"

namespace headlight {

/// Arrays as NumPy, PyTorch or Python print them, one after the other, or as other programs do
/// (arrays/other_printouts.hpp). The text on the line before an array, or before it on its line, is its name: "Q =
/// [[...", "scores:\n[[...", "attn weights tensor([[...". Text without brackets is one array, a row per line. Throws
/// std::invalid_argument with what was found, also where there are more than 10,000 arrays.
///
/// `half_digits` are half a unit of the last digit. All numbers of an array were printed with as many decimals as the
/// longest, as NumPy leaves zeros at the end out; numbers with an exponent have theirs. Whole numbers without a point
/// are exact. If the call names float16 or bfloat16, half a step of that type is added.
std::vector<GivenArray> parse_printed_arrays(std::string_view text);

}  // namespace headlight
