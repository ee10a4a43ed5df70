// Arrays of numbers from files of four kinds, by their names' endings: .npz and .safetensors hold arrays by name, .npy
// and .csv one without a name. No kind can make the program run anything: pickles are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/arrays/array_info.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// The endings that can be read, for messages: ".npz, .npy, .csv or .safetensors".
extern const std::string_view array_endings;

/// Throws InputError where the name is that of a pickle, which may run any program when it is loaded, so it never is.
/// The message holds the two lines of Python that convert it.
void refuse_pickle(const std::filesystem::path& path);

/// All arrays of a file, in its order. Throws InputError naming the file where it is missing, damaged or of another
/// kind.
std::vector<ArrayInfo> list_arrays(const std::filesystem::path& path);

/// The array with this name; without a name, the only one of the file. float32 for floats of up to 32 bits, float64 for
/// all other numbers; infinities and NaN are kept. Throws InputError naming the file and the array, with what was found
/// and what is allowed: no such name, a type that is not numeric, more than four axes, more than `limit` bytes.
///
/// With an `entry` of the array's first axis, counted from 0, or from the end where it is below 0, only its numbers are
/// kept in memory, so the array may have five axes (but not an .npy array in Fortran's order). Throws also where there
/// is no such entry.
Tensor read_array(const std::filesystem::path& path, std::string_view name, std::int64_t limit = default_memory_limit,
                  std::optional<Index> entry = {});

/// The texts of an .npz file's array, in order: np.array(["The", "cat"]), with one axis, or with two, row after row;
/// others of extent 1 may be among them. Throws InputError if the array isn't one of these.
std::vector<std::string> read_texts(const std::filesystem::path& path, std::string_view name);

}  // namespace headlight
