// Which part of which array fills the weights and biases of a layer.
#pragma once

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/named_arrays.hpp"

namespace headlight {

/// Lists the arrays of a layer without problems, whose heads are known.
void place_arrays(AttentionLayer& layer, const NamedArrays& model);

}  // namespace headlight
