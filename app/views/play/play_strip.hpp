// A number of the setup on the stage: a large slider at the foot of the view that sweeps there and back by itself, the
// state before as a ghost, and a small curve of what is watched over the number.
#pragma once

#include <string_view>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Puts the number on the stage; says so if the key names none.
void begin_play(ViewContext& context, std::string_view key);

/// Takes the strip off the foot of the area, and draws it; does nothing while nobody plays.
void draw_play(ViewContext& context, Rect& area);

}  // namespace headlight
