// Reads the facts of one part from a lecture's front matter.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/formats/toml/toml_reader.hpp"
#include "core/lecture/lecture.hpp"

namespace headlight {

/// A part's setup. Tensors, cells and facts are checked against it only if it is valid.
struct CheckedSetup {
  Setup setup;
  bool valid = false;
};

/// The tensor that the value of a key names. nullopt if the key is absent or names no tensor of the setup; the latter
/// is a problem.
std::optional<LayerTensor> read_layer_tensor(TomlReader& reader, std::string_view key, const CheckedSetup& checked);
/// The same of a tensor of layer 0, or that a model has once.
std::optional<TensorId> read_tensor(TomlReader& reader, std::string_view key, const CheckedSetup& checked);

/// Reads the list of tables `facts`. A problem for each fact that does not fit the setup: the `values` must have as
/// many numbers as the block of the tensor that they were printed from, and rows as long as its own, or a single row.
std::vector<Fact> facts_from(TomlReader& reader, const CheckedSetup& checked);

}  // namespace headlight
