// Arrays that a person hands over to have them checked: an archive, an array, or a printout.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/arrays/report.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Reads npz and npy files by their first bytes, and everything else as a printout. An array without a name in an npy
/// file or a printout has that of the file, without its ending, or if there are several, its number: "array 2". What a
/// capture notes beside the layer's tensors is left out. Nothing in a file is ever executed. Throws InputError where
/// the file is missing or damaged, holds something other than numbers, or more than `limit` bytes of them.
std::vector<GivenArray> read_given_arrays(const std::filesystem::path& path, std::int64_t limit = default_memory_limit);

/// Arrays as NumPy, PyTorch or Python print them, one after the other, or as other programs do
/// (arrays/other_printouts.hpp). The text on the line before an array, or before it on its line, is its name: "Q =
/// [[...", "scores:\n[[...", "attn weights tensor([[...". Text without brackets is one array, a row per line. Throws
/// std::invalid_argument with what was found.
///
/// `half_digits` are half a unit of the last digit. All numbers of an array were printed with as many decimals as the
/// longest, as NumPy leaves zeros at the end out; numbers with an exponent have theirs. Whole numbers without a point
/// are exact. If the call names float16 or bfloat16, half a step of that type is added.
std::vector<GivenArray> parse_printed_arrays(std::string_view text);

}  // namespace headlight
