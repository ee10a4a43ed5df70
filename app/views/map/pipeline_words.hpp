// The words on the pipeline map: the operation that computes a tensor, with the setup's own numbers.
#pragma once

#include <string>
#include <vector>

#include "app/ui/text/fonts.hpp"
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

/// "QKᵀ", "÷ √4", "mask: causal", "softmax over keys"; empty if the picture says enough. For the input it is the batch
/// item that is shown, if there are several.
/// `brief` gives a shorter form, for when the full words do not fit.
std::vector<OperationWord> operation_of(TensorId tensor, const Setup& setup, Index batch, bool brief = false);

/// What the way back does before it comes to the tensor: "÷ √4", "softmax′", "· Vᵀ"; empty in the lanes, where there is
/// no room, and where several ways come back.
std::vector<OperationWord> backward_operation_of(TensorId tensor, const Setup& setup);

}  // namespace headlight
