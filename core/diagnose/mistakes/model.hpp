// Mistakes of a whole model: in what is around attention, and in what goes from layer to layer.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// A model that is computed wrongly, in the same way in all of its layers from one on.
struct ModelMistake {
  std::string_view name;     ///< "residual_missing"
  std::string_view words;    ///< what was done, as a sentence
  std::vector<TensorId> at;  ///< the tensors that are computed so, where they exist
  Index from = 0;            ///< the first layer in which it can be made
  /// Changes what a layer is given, before it is computed; false where there is nothing to change. May be null.
  bool (*prepare)(Trace& layer, const ModelTrace& ours) = nullptr;
  /// The wrong result for one of `at`; none where this setup has no such mistake there. May be null.
  std::optional<Tensor> (*replay)(const Trace& layer, TensorId id, Workspace& workspace) = nullptr;
  /// The line that mends it, where the stages' own lines are not enough.
  std::string_view fix_numpy = {}, fix_torch = {};
};

const std::vector<ModelMistake>& model_mistakes();

/// The model with the mistake in it, forward pass alone; nothing where it changes no tensor.
std::optional<ModelTrace> with_mistake(const ModelMistake& mistake, const ModelTrace& ours, Workspace& workspace);

/// The model with a mistake of one layer (mistake.hpp) made at these tensors in all of them, forward pass alone;
/// nothing where it has no such variant.
std::optional<ModelTrace> with_mistake_in_all(const Mistake& mistake, int variant, const std::vector<TensorId>& at,
                                              const ModelTrace& ours, Workspace& workspace);

/// A layer of the model computed from another input.
Trace from_input(const Trace& ours, const Tensor& input, Workspace& workspace);

}  // namespace headlight
