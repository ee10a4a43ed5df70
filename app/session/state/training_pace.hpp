// Continuous training: whether it goes on, and how fast.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/shape.hpp"

namespace headlight {

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

}  // namespace headlight
