// The attention layers among the arrays of a model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/layer_heads.hpp"
#include "core/formats/layers/model_arrays.hpp"

namespace headlight {

/// All that are recognised, sorted by their paths as people count ("layers.2" before "layers.10"): also those that lack
/// arrays, whose shapes do not fit, or whose number of heads is unknown; they have problems then. `source` is the file
/// that was asked for. Throws InputError where there are more layers than any model has.
std::vector<AttentionLayer> attention_layers(const NamedArrays& model, const KnownHeads& heads,
                                             const std::string& source);

/// For messages: some of the names by which layers are recognised.
extern const std::string_view usual_arrays;

}  // namespace headlight
