// Which layer of a model each array that was handed over is of, as its name says.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/arrays/report.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// A name taken apart: "L1.scores" is scores of layer 1, and so are "blocks.1.attn.scores", "layers/1/scores" and
/// "scores_1". The names of TransformerLens are turned into ours: "blocks.1.attn.hook_pattern" is weights of layer 1.
struct LayerName {
  std::optional<Index> layer = {};  ///< none where the name says none
  std::string name;
};
LayerName layer_name(std::string_view name, const Setup& setup);

/// The arrays of a layer under the names that they have there, and the names as they were handed over.
struct LayerArrays {
  std::vector<GivenArray> arrays = {};
  std::vector<std::string> yours = {};
  Naming by_hand = {};
};

/// The arrays of each of the setup's layers. A name without a layer is of layer 0, but for what a model has once
/// (logits). An array with one axis more than its tensor, as long as there are layers, is one of each. `by_hand` pairs
/// their names with ours, as in att=L1.weights. What is of no layer is added to `unrecognised`.
std::vector<LayerArrays> by_layer(std::span<const GivenArray> arrays, const Setup& setup, const Naming& by_hand,
                                  std::vector<std::string>& unrecognised);

}  // namespace headlight
