// What the picture means, in words: the lecture's step, or without one what the stage does.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// Title, narration, code line and badge; scrolls where it is longer than the area.
void draw_story(ViewContext& context, const Rect& area);

/// The height that it takes at this width.
float story_height(ViewContext& context, float width);

/// The same as a band over the whole width: title and badge at the left, words and code beside them.
void draw_story_band(ViewContext& context, const Rect& area);
float story_band_height(ViewContext& context, float width);

/// For views without a place of their own for it: cuts the lecture's step off the top as a band, at most `share` of the
/// height. Nothing without a lecture.
void cut_lecture_band(ViewContext& context, Rect& area, float share);

}  // namespace headlight
