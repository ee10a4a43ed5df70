// How the scores of a layer know positions: its family says the kind, and the model's config.json the numbers.
#pragma once

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/model_config.hpp"

namespace headlight {

/// Sets the layer's `position`, for which its heads must be counted, or says under `not_computed` why a setup cannot
/// have it: rotary positions that turn a part of each head's features, or whose angles are rescaled for long texts.
/// What config.json leaves open is as most models have it, and said under `assumed`.
void know_positions(AttentionLayer& layer, const ModelConfig& config);

}  // namespace headlight
