// The number of heads of a layer: weights alone do not tell.
#pragma once

#include <optional>
#include <string>

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/formats/layers/model_config.hpp"

namespace headlight {

/// The sources of the number of heads, besides the shapes. The first that is set counts.
struct KnownHeads {
  std::optional<Index> asked;     ///< --heads
  std::optional<Index> captured;  ///< what a captured file holds
  ModelConfig config;
};

/// Sets the layer's heads and kv_heads, for which its widths must be known. Adds a problem, with what would be
/// possible, if their number is unknown or does not divide the widths. `source` is the file that was asked for.
void count_heads(AttentionLayer& layer, const NamedArrays& model, const KnownHeads& known, const std::string& source);

}  // namespace headlight
