// State that views share within a frame.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "app/session/session.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/drawing/icons.hpp"
#include "app/ui/drawing/theme.hpp"

namespace headlight {

/// Cells that move under a resting mouse are not previewed.
struct RestingMouse {
  const Lecture* lecture = nullptr;  ///< shown in the last frame
  std::size_t step = 0;
  TensorId tensor = TensorId::X;
  Point mouse;           ///< where it was then
  bool resting = false;  ///< it has not moved since the picture changed
};

/// A ✓ or ✗ at the corner of a cell.
struct CornerSign {
  Point corner;
  Icon icon = Icon::check;
  Color color;
  float radius = 9;
};

struct FrameMemory {
  /// The effect of a link or a question inside a view. It runs once the frame is drawn, because until then views refer
  /// to what the session shows.
  std::function<void(Session&)> after_frame;
  bool hover_claimed = false;     ///< a cell was under the mouse in this frame
  std::optional<Rect> lit_cell;   ///< where this frame draws the shown cell, if it does
  std::vector<CornerSign> signs;  ///< that this frame draws over cells
  RestingMouse resting;
};

}  // namespace headlight
