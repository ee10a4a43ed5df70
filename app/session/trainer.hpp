// Training a session's layer: going to a step, and training continuously.
#pragma once

#include <string_view>
#include <vector>

#include "app/session/state/training_pace.hpp"
#include "core/model/problem.hpp"
#include "core/model/trace.hpp"

namespace headlight {

class Session;

/// The number of training steps is a part of the setup, training.steps, so going to another step is an edit that can be
/// undone like any other. Steps of continuous training are undone together.
class Trainer {
 public:
  explicit Trainer(Session& session) : session_(session) {}

  /// Starts or stops continuous training. Does nothing without a task.
  void set_playing(bool playing);
  void set_speed(TrainingSpeed speed);
  /// Goes to a step, counted from 0. Steps with the same gesture are undone together.
  std::vector<Problem> go_to(Index step, std::string_view gesture = {});
  /// Advances the time of continuous training: makes the steps that are due, unless others are being made. If a step
  /// leads to numbers that are not finite, training stops at the step before.
  void advance(double seconds);

 private:
  Session& session_;
};

/// How many training steps the shown weights have had: fewer than the setup asks for if training has diverged.
Index trained_steps(const Session& session);

}  // namespace headlight
