// What a layer computes besides its projections: its masks, positions, norms and scale, by config.json and by what is
// beside its weights.
#pragma once

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/formats/layers/model_config.hpp"

namespace headlight {

/// Sets the layer's masks, `position`, `scale` and norms, for which its heads must be known, unless they are 0. What a
/// setup cannot express is listed in `not_computed`; what no file tells is as in most models, and listed in `assumed`.
void know_arithmetic(AttentionLayer& layer, const NamedArrays& model, const ConfigPart& config);

}  // namespace headlight
