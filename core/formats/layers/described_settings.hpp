// What the description of a layer says, as settings.
#pragma once

#include "core/formats/layers/attention_layer.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// Sets sizes (d_model, heads, kv_heads, d_head), the settings of attention and the position. The lengths, which no
/// weight tells, stay as they are.
void set_described(Setup& setup, const AttentionLayer& layer);

/// The masks that the layer has when it isn't told any: causal, and a window that hides some of the `query_length`
/// keys.
MaskSettings described_masks(const AttentionLayer& layer, Index query_length);

}  // namespace headlight
