// A pass through the layer that is run again and again, with other weights or other sequences.
#pragma once

#include <span>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/model/trace.hpp"
#include "core/stages/table.hpp"

namespace headlight {

/// Runs the stages that the wanted tensors need, and no others.
class Pass {
 public:
  /// For a (valid) setup with a task.
  Pass(const Setup& setup, std::span<const TensorId> wanted);

  /// Weights and biases are set before run(); the wanted tensors are there after it.
  Trace& trace() { return trace_; }
  const Trace& trace() const { return trace_; }

  /// Computes with these sequences, however many.
  void run(std::shared_ptr<const Sequences> sequences, Workspace& workspace);

 private:
  Trace trace_;
  std::vector<const Stage*> once_;  ///< what does not depend on weights and sequences
  std::vector<const Stage*> stages_;
};

/// L: the mean of `loss` over the positions that are asked. Of a part of a batch, what it adds to L.
double mean_loss(const Trace& trace);

/// What the layer answers, over all positions that are asked.
struct Verdict {
  double loss = 0;  ///< L
  Index right = 0;  ///< answers whose logit is the largest
  Index asked = 0;  ///< answers that are asked for

  /// The share of right answers.
  double accuracy() const { return static_cast<double>(right) / static_cast<double>(asked); }
};
/// Reads `loss` and `logits` of a trace with a task.
Verdict verdict_of(const Trace& trace);

}  // namespace headlight
