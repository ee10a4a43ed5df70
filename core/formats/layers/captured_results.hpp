// What a captured layer's own results say about it. They are evidence; the names of its arrays are only hints.
#pragma once

#include "core/formats/layers/attention_layer.hpp"

namespace headlight {

/// Computes a layer whose file has its input and its output. Where our output is another one, and the layer would agree
/// with other positions, another scale or another causal mask, it gets those; else the largest difference is said. Both
/// are told in the layer's `findings`. Layers with problems, and those without results, stay as they are.
void decide_by_results(ModelLayer& layer);

}  // namespace headlight
