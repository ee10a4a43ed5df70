// `headlight layers`
#pragma once

#include <filesystem>
#include <optional>

#include "core/model/shape.hpp"

namespace headlight {

struct LayersArguments {
  std::filesystem::path file;  ///< safetensors, npz, or the index of a model in several files
  std::optional<Index> layer;  ///< counted from 0, as in the table
  std::optional<Index> heads;
  std::optional<std::filesystem::path> output;
};

/// A table of the attention layers in a file, or one of them as a setup; on standard output without an output file.
int show_layers(const LayersArguments& arguments);

}  // namespace headlight
