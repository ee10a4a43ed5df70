// The list of all edits: a click goes back to any of them, or forward again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// The list while it is open.
struct HistoryList {
  std::vector<std::string> words;  ///< what led to each setup, the oldest first
  Rect beside;                     ///< the list opens below it
  std::uint64_t version = 0;       ///< of the trace; the list closes when it changes
  std::size_t row = 0;             ///< the chosen one
  bool fresh = true;               ///< it opened in this frame, and that click must not close it
};

/// Opens the list below `beside`, or at the top left of the window.
void open_history(ViewContext& context, const Rect& beside);
void open_history(ViewContext& context);

/// Draws the open list over everything else, and goes to what is chosen.
void draw_history_list(ViewContext& context);

}  // namespace headlight
