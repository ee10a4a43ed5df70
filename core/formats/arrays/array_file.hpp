// Arrays of numbers from files of four kinds, by their names' endings: .npz and .safetensors hold arrays by name, .npy
// and .csv one without a name. No kind can make the program run anything: pickles are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
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

/// Opens a file of arrays. Throws InputError naming the file where it is missing, damaged or of another kind.
std::unique_ptr<ArrayReader> open_arrays(const std::filesystem::path& path);

/// The files that one task reads arrays of. Each is opened once, and its header read once, however many of its arrays
/// are wanted.
class ArrayFiles {
 public:
  /// The open file, until the next call. Throws InputError as open_arrays does.
  ArrayReader& at(const std::filesystem::path& path);

 private:
  std::map<std::filesystem::path, std::unique_ptr<ArrayReader>> open_;
};

/// All arrays of a file, in its order, and one of them; see ArrayReader.
std::vector<ArrayInfo> list_arrays(const std::filesystem::path& path);
Tensor read_array(const std::filesystem::path& path, std::string_view name, std::int64_t limit = default_memory_limit,
                  std::optional<Index> entry = {});

}  // namespace headlight
