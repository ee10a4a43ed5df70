#include "core/lecture/pace.hpp"

#include <algorithm>

namespace headlight {

double Pace::behind(std::size_t step, double elapsed) const {
  if (step >= starts.size()) return 0;
  return elapsed - std::clamp(elapsed, starts[step], end_of(step));
}

Pace pace_of(const Lecture& lecture) {
  double given = 0;
  std::size_t sharing = 0;
  for (const Step& step : lecture.steps) {
    given += step.minutes;
    sharing += step.minutes > 0 ? 0 : 1;
  }
  const auto whole = static_cast<double>(lecture.minutes);
  const double share = sharing > 0 ? (whole - given) / static_cast<double>(sharing) : 0;
  if (lecture.steps.empty() || share < 0 || (sharing > 0 && share == 0)) return {};
  Pace pace;
  for (const Step& step : lecture.steps) {
    pace.starts.push_back(pace.end);
    pace.end += step.minutes > 0 ? step.minutes : share;
  }
  pace.total = std::max(whole, pace.end);
  return pace;
}

}  // namespace headlight
