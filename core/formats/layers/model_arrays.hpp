// The arrays of a model: those of one file, or of the several that a large model is split into.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/arrays/array_file.hpp"

namespace headlight {

struct StoredArray {
  std::filesystem::path file;
  ArrayInfo info;
};

/// The files that an index ("model.safetensors.index.json") names, each once. Throws InputError naming `source` where
/// it is none, or where a file is not one beside it.
std::vector<std::string> files_of_index(std::string_view text, const std::string& source);

/// All arrays of a .safetensors or .npz file, or of the files that an index names, which stand beside it. Their numbers
/// are not read. Throws InputError where a file is missing, damaged or of another kind.
std::vector<StoredArray> list_model(const std::filesystem::path& path);

}  // namespace headlight
