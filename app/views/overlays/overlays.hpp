// The overlays on the views: command palette, list of keys, cards, notices.
#pragma once

#include <cstdint>

#include "app/views/base/view_context.hpp"

namespace headlight {

struct OverlaysMemory {
  bool hint = false;          ///< the hint for beginners is shown until they have followed it
  std::uint64_t notices = 0;  ///< how many there have been with the one on the screen
  double since = 0;           ///< when it appeared, in seconds
};

/// Call it after everything else is drawn, so that the overlays are on top.
void draw_overlays(ViewContext& context);
/// F1: every action with its keys.
void draw_shortcuts(ViewContext& context);
/// Ctrl+comma: theme, scale, colours and motion.
void draw_appearance(ViewContext& context);

}  // namespace headlight
