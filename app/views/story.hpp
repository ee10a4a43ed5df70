// What the picture means, in words: the lecture's step, or without one what the stage does.
#pragma once

#include "app/ui/geometry.hpp"
#include "app/views/view_context.hpp"

namespace headlight {

/// Title, narration, code line and badge; scrolls where it is longer than the area.
void draw_story(ViewContext& context, const Rect& area);

/// The height that it takes at this width.
float story_height(ViewContext& context, float width);

}  // namespace headlight
