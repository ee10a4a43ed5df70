// What lies over the views: command palette, list of keys, cards, notices.
#pragma once

#include <string>

#include "app/views/base/view_context.hpp"

namespace headlight {

struct OverlaysMemory {
  bool hint = false;   ///< the hint for beginners shows, until they have done what it says
  std::string notice;  ///< the notice on the screen, and the time at which it appeared, in seconds
  double since = 0;
};

/// Call it after everything else is drawn, so that the overlays lie on top.
void draw_overlays(ViewContext& context);
/// F1: every action with its keys.
void draw_shortcuts(ViewContext& context);

}  // namespace headlight
