// A layer that learns its task, step by step.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/model/trace.hpp"
#include "core/random/sequences.hpp"
#include "core/training/optimizer.hpp"
#include "core/training/pass.hpp"

namespace headlight {

/// Everything that the next step needs.
struct TrainingState {
  Index step = 0;                     ///< how many steps have been made
  std::vector<Parameter> parameters;  ///< one for each of learned_in_model()
  SequenceSource sequences;           ///< gives the next step's batch
};

/// How far a layer has learned, and how it got there. A value: copies share the numbers.
///
/// Step n draws the next training.batch sequences, runs forward and backward, and changes every parameter once. Equal
/// setups give equal states, on any number of threads. Some states in between are kept, evenly spaced, in bounded
/// memory, so that any step can be had again soon.
class Training {
 public:
  /// As drawn. `drawn` holds the weights and biases of the setup, which must be valid and have a task.
  Training(const Setup& setup, const ModelTrace& drawn);

  /// Whether a setup with these weights and biases learns in the same way, however many steps it takes.
  bool is_of(const Setup& setup, const ModelTrace& drawn) const;

  /// Called after each step that is made for the first time, with the state after it.
  using OnStep = std::function<void(const TrainingState& state)>;

  /// The state after so many steps; makes those that are missing. If the layer exploded before that, the last finite
  /// state. Throws Stopped if the caller has cancelled; the steps made so far are kept then.
  TrainingState at(Index step, Workspace& workspace, const OnStep& on_step = {});

  /// The loss of each step's batch before its update, as a PyTorch loop prints it. One for each step made.
  const std::vector<double>& losses() const { return losses_; }
  Index made() const { return furthest_.step; }
  /// The step that left weights or a loss that are not finite, if there was one. It is undone.
  std::optional<Index> exploded_at() const { return exploded_at_; }
  /// The states that are kept, in order of their steps.
  const std::vector<TrainingState>& kept() const { return kept_; }

 private:
  struct Stepped {
    TrainingState state;
    double loss;  ///< of its batch, before the update
  };

  /// The steps of one request, over which its progress is reported, even if pauses interrupt it.
  struct StepRange {
    Index from;
    Index to;
  };

  Stepped step_from(const TrainingState& from, BatchWalk& walk, Workspace& workspace) const;
  /// Makes the steps after the furthest one.
  void go_on(Index to, Workspace& workspace, const OnStep& on_step);
  void take_back();
  /// Makes steps again that have been made, from the nearest state that is kept.
  TrainingState again(Index step, Workspace& workspace) const;
  const TrainingState& nearest(Index step) const;
  void keep(const TrainingState& state);

  Setup setup_;  ///< of a step: its batch is that of the training
  Index shown_;  ///< how many sequences are shown, and drawn before all others
  std::vector<LayerTensor> learned_;
  std::vector<Tensor> drawn_;  ///< what they were before the first step
  std::vector<TrainingState> kept_;
  Index distance_ = 1;  ///< between kept steps
  std::size_t most_kept_ = 0;
  TrainingState furthest_;
  TrainingState before_;               ///< the state before the furthest one, in case that turns out to be too far
  std::optional<StepRange> range_;     ///< that is not at its end
  std::optional<TrainingState> last_;  ///< the last one that was made again
  std::vector<double> losses_;
  std::optional<Index> exploded_at_;
};

/// Sets the weights and biases of a model's layers to those of a state.
void put_into(std::span<Trace* const> layers, const TrainingState& state);

}  // namespace headlight
