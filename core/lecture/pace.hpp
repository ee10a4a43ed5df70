// The plan of a lecture in front of a class: how many minutes each step takes, and the time that this leaves.
#pragma once

#include <cstddef>
#include <vector>

#include "core/lecture/lecture.hpp"

namespace headlight {

/// The plan of a lecture, in minutes.
struct Pace {
  std::vector<double> starts;  ///< when each step begins; empty if the lecture has no minutes
  double end = 0;              ///< of the last step
  double total = 0;            ///< of the lecture; the time after the last step is for questions

  bool empty() const { return starts.empty(); }
  double end_of(std::size_t step) const { return step + 1 < starts.size() ? starts[step + 1] : end; }
  /// How many minutes a speaker who shows this step is behind the plan; negative: ahead of it. 0 during the time that
  /// the plan gives the step.
  double behind(std::size_t step, double elapsed) const;

  friend bool operator==(const Pace&, const Pace&) = default;
};

/// Steps without minutes of their own share evenly what the others leave of the lecture's.
Pace pace_of(const Lecture& lecture);

}  // namespace headlight
