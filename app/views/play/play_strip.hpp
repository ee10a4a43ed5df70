// Playing with a number of the setup: a large slider at the bottom of the view that sweeps back and forth by itself,
// the state before as a ghost, and a small curve of a measure over the number.
#pragma once

#include <string_view>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Starts to play with the number; shows a notice if the key names none.
void begin_play(ViewContext& context, std::string_view key);

/// Whether a number is being played, so that a strip shows.
bool is_playing_number(ViewContext& context);

/// Cuts the strip off the bottom of the area and draws it, if a number is being played.
void draw_play(ViewContext& context, Rect& area);

}  // namespace headlight
