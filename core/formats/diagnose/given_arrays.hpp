// Arrays that a person hands over to have them checked: an archive, an array, a printout, or a notebook.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/diagnose/arrays/report.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Reads npz and npy files by their first bytes, what a notebook (.ipynb, or one that came through a pipe) has printed,
/// and everything else as a printout. An array without a name in an npy file or a printout has that of the file,
/// without its ending, or if there are several, its number: "array 2". What a capture notes beside the layer's tensors
/// is left out. Nothing in a file is ever executed. Throws InputError where the file is missing or damaged, holds
/// something other than numbers, or more than `limit` bytes of them.
std::vector<GivenArray> read_given_arrays(const std::filesystem::path& path, std::int64_t limit = default_memory_limit);

}  // namespace headlight
