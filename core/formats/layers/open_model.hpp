// A model that was opened: the attention layers of a file, of several, or of a folder that capture.py wrote.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/formats/layers/model_config.hpp"

namespace headlight {

struct OpenModel {
  std::filesystem::path path;                              ///< the file, or the folder of a captured model
  std::vector<std::shared_ptr<const NamedArrays>> arrays;  ///< of each of its files
  std::vector<ModelLayer> layers;  ///< in running order where an index tells it, else as people count
  ModelConfig config = {};
  std::optional<Index> heads = {};   ///< that a person gave
  bool is_captured = false;          ///< a folder with a file for each layer
  std::filesystem::path whole = {};  ///< of a captured folder: the file with the whole model; empty where there is none
};

/// Opens
///
///   - a file, as list_model does, with the config.json beside it, or with attention weights alone;
///   - a folder with an index.headlight.json, as capture.py writes it (index.json before), or this index:
///     {"version": 1, "tokens": ["The", "cat"], "layers": [{"name": "h.0.attn", "file": "h.0.attn.npz"}, ...]}, in
///     running order; "tokens" may be missing, and belongs to all layers whose inputs have as many positions; "whole"
///     names the file of the whole model, where capture.py knows its blocks;
///   - a folder with a model.safetensors or its index.
///
/// `heads` is the number of heads if a person gave one. A file without attention layers gives none. Throws InputError
/// as list_model and read_model_config do, and where an index or one of its files isn't as above.
OpenModel open_model(const std::filesystem::path& path, std::optional<Index> heads);

/// The layers of one file, which a config.json describes.
OpenModel open_model_file(const std::filesystem::path& file, std::optional<Index> heads, const ModelConfig& config);

/// The file of a folder that says which layers are in it: what open_model reads first. Throws InputError if it has
/// none.
std::filesystem::path model_file_in(const std::filesystem::path& folder);

}  // namespace headlight
