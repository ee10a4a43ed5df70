// The attention layers among the arrays of a model.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/layer_heads.hpp"
#include "core/formats/layers/model_arrays.hpp"

namespace headlight {

/// All that are recognised, sorted by their paths as people count ("layers.2" before "layers.10"): also those that lack
/// arrays, whose shapes do not fit, or whose number of heads is unknown; they have problems then. `source` is the file
/// that was asked for.
std::vector<AttentionLayer> attention_layers(std::span<const StoredArray> arrays, const KnownHeads& heads,
                                             const std::string& source);

/// The arrays of a model, and its attention layers.
struct ModelLayers {
  std::vector<StoredArray> arrays;
  std::vector<AttentionLayer> layers;
};

/// Those of a file, as list_model reads it, and of the config.json beside it; `heads` is the number of heads if a
/// person gave one. Throws InputError as list_model and read_model_config do.
ModelLayers layers_of_model(const std::filesystem::path& file, std::optional<Index> heads);

/// For messages: the families and the names by which they are recognised.
std::string known_families();

}  // namespace headlight
