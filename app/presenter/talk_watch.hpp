// The time of a talk: since it began, and since the question on the slide was asked.
#pragma once

#include <cstddef>
#include <optional>

#include "app/session/session.hpp"
#include "app/views/presenter/presenter_view.hpp"

namespace headlight {

/// Its times are those of a window's clock, in seconds.
class TalkWatch {
 public:
  /// Call it in each frame. The talk begins when the session presents and ends when it does not.
  void follow(const Session& session, double now);
  void restart(double now) { began_ = now; }
  TalkTime at(double now) const;

 private:
  std::optional<double> began_;  ///< none: nobody presents
  std::optional<double> asked_;  ///< none: the step asks nothing
  LectureStep asks_;             ///< the step that asks
};

}  // namespace headlight
