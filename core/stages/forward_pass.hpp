// The lines of forward_pass.cpp, and the notation that they are written in.
#pragma once

#include <utility>
#include <vector>

#include "core/stages/table.hpp"

namespace headlight {

/// The operand of a line in one slot: a tensor, or the first of several that exists under the setup.
struct Reading {
  Reading(TensorId tensor)
      : choices{tensor} {}  // NOLINT(google-explicit-constructor): a tensor alone is a left operand
  explicit Reading(std::vector<TensorId> all) : choices(std::move(all)) {}

  std::vector<TensorId> choices;
  Operand::Slot slot = Operand::Slot::left;
  bool transposed = false;
};

/// The first of these tensors that exists under the setup.
template <class... Tensors>
Reading first_of(Tensors... choices) {
  return Reading(std::vector<TensorId>{choices...});
}

/// ... @ right
inline Reading times(Reading right) {
  right.slot = Operand::Slot::right;
  return right;
}

/// ... @ rightᵀ
inline Reading times_transposed(Reading right) {
  right.transposed = true;
  return times(std::move(right));
}

/// ... + added
inline Reading plus(Reading added) {
  added.slot = Operand::Slot::added;
  return added;
}

/// A line of the forward pass: what is made, by which operation, and from what. Or a heading: the phase that the lines
/// below it belong to.
struct Line {
  Line(TensorId made, const Operation& by, const std::vector<Reading>& from = {}) : result(made), operation(&by) {
    for (const Reading& reading : from)
      for (const TensorId choice : reading.choices) operands.push_back({choice, reading.slot, reading.transposed});
  }
  explicit Line(PhaseInfo heading) : phase(heading) {}

  TensorId result = TensorId::X;
  const Operation* operation = nullptr;  ///< null in a heading
  std::vector<Operand> operands = {};
  PhaseInfo phase = {};
};

inline Line phase(std::string_view title, std::string_view sentence) { return Line(PhaseInfo{title, sentence}); }

/// From the tokens to the loss, in the order of TensorId. Weights, biases and everything else that is drawn have no
/// line.
std::vector<Line> forward_pass();
/// The beginning of the backward pass: the gradient of the loss. All other gradients follow (gradient.cpp).
Line start_of_backward_pass();
/// The meaning of the weights of the heads. Nothing is computed from these.
std::vector<Line> head_matrices();

}  // namespace headlight
