// Forward and back through the batch of a step.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/training/optimizer.hpp"
#include "core/training/pass.hpp"

namespace headlight {

/// What a step learns from its batch, or what a part of the batch adds to that.
struct BatchGradients {
  double loss = 0;                ///< L, before the update
  std::vector<Tensor> gradients;  ///< ∂L/∂T for each of learned_tensors()
};

/// Runs the stages that a step needs, and the same again for the next one.
///
/// A batch is cut into parts of a few sequences, whose gradients add up to the batch's. The numbers of a part stay in
/// the processor's cache from stage to stage, and threads take whole parts, without waiting for each other after every
/// stage. The cut and the order of the sums follow from the setup alone, so that every number comes out the same on any
/// number of threads.
class BatchWalk {
 public:
  /// For a (valid) setup with a task, whose sizes.batch is that of a step.
  explicit BatchWalk(const Setup& setup);

  /// `parameters` are those of learned_tensors(). Throws Stopped if the caller has cancelled.
  BatchGradients run(std::span<const Parameter> parameters, const Sequences& batch, Workspace& workspace);

 private:
  BatchGradients walk(Pass& pass, const Sequences& sequences, Workspace& workspace) const;
  std::unique_ptr<Pass> take();
  void give_back(std::unique_ptr<Pass> pass);

  Setup setup_;
  std::vector<TensorId> learned_;
  std::vector<TensorId> wanted_;
  Index sequences_;  ///< in a part
  std::mutex mutex_;
  std::vector<std::unique_ptr<Pass>> resting_;  ///< at most one for each thread
};

}  // namespace headlight
