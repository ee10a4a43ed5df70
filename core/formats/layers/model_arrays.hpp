// The arrays of a model: those of one file, or of the several that a large model is split into.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/formats/arrays/array_file.hpp"

namespace headlight {

struct StoredArray {
  std::filesystem::path file;
  ArrayInfo info;
};

/// The files that an index ("model.safetensors.index.json") names, each once. Throws InputError naming `source` if it
/// is not an index, or if a file is not beside it.
std::vector<std::string> files_of_index(std::string_view text, const std::string& source);

/// All arrays of a .safetensors or .npz file, or of the files that an index names, which are beside it. Their numbers
/// are not read. Throws InputError where a file is missing, damaged or of another kind.
std::vector<StoredArray> list_model(const std::filesystem::path& path);

/// Throws InputError where there are more layers than any model has: each takes memory before its numbers are read.
/// `array` is the one that holds them, if it is one.
void require_few_layers(Index layers, const std::string& source, std::string_view array = {});

/// "layers.0.attn" and "weight" -> "layers.0.attn.weight"; the name alone behind an empty path.
std::string joined(std::string_view path, std::string_view name);
/// An array's name with dots between its parts, as PyTorch has it: "attention/query/kernel:0" of Keras and Flax becomes
/// "attention.query.kernel".
std::string dotted(std::string_view name);
/// "layers.0.attn" -> "attn", "layers.0".
std::string_view last_name(std::string_view path);
std::string_view parent_of(std::string_view path);

/// Whether "layers.2" is before "layers.10": runs of digits are compared as numbers.
bool counts_before(std::string_view a, std::string_view b);

/// The arrays of a model, found by their names with dots.
class NamedArrays {
 public:
  NamedArrays(std::vector<StoredArray> arrays);  // NOLINT(google-explicit-constructor): it is such a list

  std::span<const StoredArray> all() const { return arrays_; }
  const StoredArray& operator[](std::size_t index) const { return arrays_[index]; }

  /// The index of the array with this name behind the path.
  std::optional<std::size_t> index_of(std::string_view path, std::string_view name) const;
  bool has(std::string_view path, std::string_view name) const { return index_of(path, name).has_value(); }
  /// The array itself; null where there is none.
  const StoredArray* find(std::string_view path, std::string_view name) const;
  /// Whether any array's name begins with the path and a dot.
  bool has_below(std::string_view path) const;

 private:
  std::vector<StoredArray> arrays_;
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<std::string> sorted_;  ///< the names with dots
};

}  // namespace headlight
