// SGD and Adam, as torch.optim has them.
#pragma once

#include "core/model/task.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// A weight or bias while it learns, with what Adam remembers of its gradients: all contiguous, in the same shape.
struct Parameter {
  Tensor value;
  Tensor mean;    ///< of the gradients, fading; empty with SGD and before the first step
  Tensor square;  ///< of their squares
};

/// The defaults of torch.optim.Adam.
struct AdamConstants {
  double beta1 = 0.9;     ///< how much of the mean gradient is kept in a step
  double beta2 = 0.999;   ///< how much of the mean square is kept
  double epsilon = 1e-8;  ///< added to the root of the mean square, which may be 0
};
inline constexpr AdamConstants adam_constants;

/// The parameter after the step with this number, counted from 1. All arithmetic is in the precision of the value.
/// - SGD: value − rate · gradient
/// - Adam (D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", 2015):
///   value − rate/(1 − β₁ᵗ) · mean / (√square/√(1 − β₂ᵗ) + ε)
Parameter stepped(const Parameter& parameter, const Tensor& gradient, const TrainingSettings& settings, Index step);

/// Whether every number of the value is finite.
bool is_finite(const Tensor& value);

}  // namespace headlight
