#include "app/session/state/training_pace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace headlight {
namespace {

constexpr double seconds_of_a_piece = 0.02;
constexpr double longest_debt = 0.25;  ///< seconds; steps that are later than this are skipped
constexpr Index most_at_once = 1000;

constexpr std::array<double, 3> steps_a_second{1, 10, 100};  ///< in the order of TrainingSpeed, which `full` ends

}  // namespace

Index TrainingPace::due(TrainingSpeed speed, double seconds) {
  if (speed == TrainingSpeed::full) return at_once_;
  const double rate = steps_a_second[static_cast<std::size_t>(speed)];
  owed_ = std::min(owed_ + seconds * rate, std::max(1.0, longest_debt * rate));
  const double whole = std::floor(owed_);
  owed_ -= whole;
  return static_cast<Index>(whole);
}

void TrainingPace::took(Index steps, double seconds) {
  const double fitting = seconds > 0 ? seconds_of_a_piece * static_cast<double>(steps) / seconds : most_at_once;
  at_once_ =
      std::clamp<Index>(static_cast<Index>(std::min<double>(fitting, most_at_once)), 1, 2 * std::max<Index>(steps, 1));
}

}  // namespace headlight
