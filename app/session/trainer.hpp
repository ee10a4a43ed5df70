// Training a session's layer: going to a step, and training continuously.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/model/problem.hpp"
#include "core/model/trace.hpp"

namespace headlight {

class Session;

/// Steps per second; `full`: as many as there is time for.
enum class TrainingSpeed : std::uint8_t { one, ten, hundred, full };
inline constexpr std::array<std::string_view, 4> training_speeds{"1", "10", "100", "max"};

struct TrainingPlay {
  bool playing = false;
  TrainingSpeed speed = TrainingSpeed::ten;

  friend bool operator==(const TrainingPlay&, const TrainingPlay&) = default;
};

/// Counts the steps that are due. At full speed it is as many as fit in a part of a frame, judging by the time of
/// earlier steps, so that the picture keeps up with the training.
class TrainingPace {
 public:
  void begin() { owed_ = 0; }
  /// The number of steps that are due after this many more seconds.
  Index due(TrainingSpeed speed, double seconds);
  /// Records how long the last steps took.
  void took(Index steps, double seconds);

 private:
  double owed_ = 0;
  Index at_once_ = 1;  ///< at full speed
};

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
