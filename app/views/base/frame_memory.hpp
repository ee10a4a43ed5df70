// What the views tell each other within a frame.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "app/session/session.hpp"
#include "app/ui/drawing/geometry.hpp"

namespace headlight {

/// What the mouse points at while it rests is no preview: what it rests on was moved under it.
struct RestingMouse {
  const Lecture* lecture = nullptr;  ///< what showed in the last frame
  std::size_t step = 0;
  TensorId tensor = TensorId::X;
  Point mouse;           ///< where it was then
  bool resting = false;  ///< it has not moved since something else came
};

struct FrameMemory {
  /// What a link or a question inside a view does, once the frame is drawn: until then views hold what the session
  /// shows.
  std::function<void(Session&)> after_frame;
  bool hover_claimed = false;    ///< a cell was under the mouse in this frame
  std::optional<Rect> lit_cell;  ///< where this frame shows the cell that is shown, if it does
  RestingMouse resting;
};

}  // namespace headlight
