// Training a session's layer: going to a step, and training on its own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/model/problem.hpp"
#include "core/model/trace.hpp"

namespace headlight {

class Session;

/// How many steps a second; `full`: as many as there is time for.
enum class TrainingSpeed : std::uint8_t { one, ten, hundred, full };
inline constexpr std::array<std::string_view, 4> training_speeds{"1", "10", "100", "max"};

struct TrainingPlay {
  bool playing = false;
  TrainingSpeed speed = TrainingSpeed::ten;

  friend bool operator==(const TrainingPlay&, const TrainingPlay&) = default;
};

/// Counts the steps that are due. At full speed these are as many as take a part of a frame, by what steps took before,
/// so that what is shown keeps up with the training.
class TrainingPace {
 public:
  void begin() { owed_ = 0; }
  /// The steps that are due after so many more seconds.
  Index due(TrainingSpeed speed, double seconds);
  /// Says how long the last steps took.
  void took(Index steps, double seconds);

 private:
  double owed_ = 0;
  Index at_once_ = 1;  ///< at full speed
};

/// How many steps of training the setup asks for is a part of the setup, training.steps. So going to another step is an
/// edit that can be undone like any other. Steps that the layer makes on its own are undone together.
class Trainer {
 public:
  explicit Trainer(Session& session) : session_(session) {}

  /// Lets the layer train on its own, or stops it. Nothing happens without a task.
  void set_playing(bool playing);
  void set_speed(TrainingSpeed speed);
  /// Goes to a step, from 0 on. Steps with the same gesture are undone together.
  std::vector<Problem> go_to(Index step, std::string_view gesture = {});
  /// Lets time pass while the layer trains on its own: makes the steps that are due, unless others are being made. If a
  /// step leaves numbers that are not finite, training stops at the step before.
  void advance(double seconds);

 private:
  Session& session_;
};

/// How many steps of training the shown weights have: fewer than the setup asks for if training has exploded.
Index trained_steps(const Session& session);

}  // namespace headlight
