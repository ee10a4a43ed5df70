// A pass through the layer that is run again and again, with other weights or other sequences.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/model/trace.hpp"
#include "core/stages/table.hpp"
#include "core/training/optimizer.hpp"

namespace headlight {

/// Runs the stages that the wanted tensors need in each layer, and no others.
class Pass {
 public:
  /// For a (valid) setup with a task. A layer gives those of the wanted tensors that it has.
  Pass(const Setup& setup, std::span<const TensorId> wanted);

  /// Set weights and biases before run(); the wanted tensors are there after it.
  std::span<Trace> layers() { return layers_; }
  std::span<const Trace> layers() const { return layers_; }
  const Trace& last() const { return layers_.back(); }

  /// Computes with these sequences, however many.
  void run(std::shared_ptr<const Sequences> sequences, Workspace& workspace);

 private:
  /// What is run of a layer.
  struct Plan {
    std::vector<const Stage*> once;  ///< what does not depend on weights and sequences
    std::vector<const Stage*> forward;
    std::vector<const Stage*> backward;
  };
  static Plan plan_of(const Setup& setup, std::span<const TensorId> wanted);

  std::vector<Trace> layers_;
  std::vector<Plan> plans_;
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
/// Reads `loss` and `logits` of the last layer's trace, with a task.
Verdict verdict_of(const Trace& trace);

/// What a step learns from its batch, or what a part of the batch adds to that.
struct BatchGradients {
  double loss = 0;                ///< L, before the update
  std::vector<Tensor> gradients;  ///< ∂L/∂T for each of learned_in_model()
};

/// Runs the stages that a step needs, and the same again for the next one.
///
/// A batch is cut into parts of a few sequences, whose gradients add up to the batch's. The numbers of a part stay in
/// the processor's cache from stage to stage, and threads take whole parts, without waiting for each other after every
/// stage. The cut and the order of the sums follow from the setup alone, so that every number is the same for any
/// number of threads.
class BatchWalk {
 public:
  /// For a (valid) setup with a task, whose sizes.batch is that of a step.
  explicit BatchWalk(const Setup& setup);

  /// `parameters` are those of learned_in_model(). Throws Stopped if the caller has cancelled.
  BatchGradients run(std::span<const Parameter> parameters, const Sequences& batch, Workspace& workspace);

 private:
  BatchGradients walk(Pass& pass, const Sequences& sequences, Workspace& workspace) const;
  std::unique_ptr<Pass> take();
  void give_back(std::unique_ptr<Pass> pass);

  Setup setup_;
  std::vector<LayerTensor> learned_;
  std::vector<TensorId> wanted_;
  Index sequences_;  ///< in a part
  std::mutex mutex_;
  std::vector<std::unique_ptr<Pass>> resting_;  ///< at most one for each thread
};

}  // namespace headlight
