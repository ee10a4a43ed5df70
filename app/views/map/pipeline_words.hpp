// The words on the pipeline map: the operation that computes a tensor, with the setup's own numbers.
#pragma once

#include <string>
#include <vector>

#include "app/ui/drawing/fonts.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

struct OperationWord {
  std::string text;
  Role role = Role::neutral;
  bool strong = false;
  Script script = Script::normal;

  friend bool operator==(const OperationWord&, const OperationWord&) = default;
};

/// "QKᵀ", "÷ √4", "mask: causal", "softmax over keys"; empty if the picture says enough. For the input it is the shown
/// batch item, if there are several. `brief` gives a shorter form, for when the full words do not fit.
std::vector<OperationWord> operation_of(TensorId tensor, const Setup& setup, Index batch, bool brief = false);

/// The last operation of the gradient's path to the tensor: "÷ √4", "softmax′", "· Vᵀ". Empty in the lanes, which have
/// no room, and if there are several paths.
std::vector<OperationWord> backward_operation_of(TensorId tensor, const Setup& setup);

}  // namespace headlight
