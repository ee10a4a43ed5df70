// The optimizers, as torch.optim has them: a step of each, and the same step in Python.
#pragma once

#include <string>
#include <string_view>

#include "core/model/task.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// A weight or bias while it learns, with what some optimizers remember of its gradients: all contiguous, in the same
/// shape.
struct Parameter {
  Tensor value;
  Tensor mean;    ///< of the gradients, fading; empty before the first step, and if the optimizer has none
  Tensor square;  ///< the same of their squares
};

// The defaults of torch.optim.Adam.
inline constexpr double adam_beta1 = 0.9;     ///< how much of the mean gradient is kept in a step
inline constexpr double adam_beta2 = 0.999;   ///< how much of the mean square is kept
inline constexpr double adam_epsilon = 1e-8;  ///< added to the root of the mean square, which may be 0

struct Optimizer {
  OptimizerKind kind;
  bool has_mean = false;
  bool has_square = false;
  /// Fills `to` with the parameter after the step with this number, counted from 1. All arithmetic is in the precision
  /// of the value.
  void (*step)(const Parameter& from, const Tensor& gradient, double rate, Index step, Parameter& to);
  std::string_view torch_class;  ///< of torch.optim
  std::string_view numpy_step;   ///< "{0}" after a step in NumPy, where "{0}" is the name of the parameter
  /// What `numpy_step` needs; null: nothing.
  std::string (*numpy_definitions)() = nullptr;
};

const Optimizer& optimizer_of(OptimizerKind kind);

/// The parameter after the step with this number, counted from 1.
Parameter stepped(const Parameter& parameter, const Tensor& gradient, const TrainingSettings& settings, Index step);

/// Whether every number of the value is finite.
bool is_finite(const Tensor& value);

}  // namespace headlight
