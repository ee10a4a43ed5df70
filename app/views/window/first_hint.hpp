// The hint of the first start, in the status bar, where it covers nothing.
#pragma once

#include <optional>

#include "app/session/state/lesson_state.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// The step at which the hint appeared, and where the mouse was then. A mouse that only rests where a card was does not
/// point at a number.
struct FirstHintMemory {
  std::optional<LectureStep> at;
  std::optional<Point> mouse;
};

/// Draws the hint from `left` to the end of the bar, and ends it once somebody has pointed at a number or moved a step.
/// Returns whether it is there.
bool draw_first_hint(ViewContext& context, const Rect& bar, float left);

}  // namespace headlight
