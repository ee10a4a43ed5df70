// The story explains the picture in words: the text of the lecture's step, or without a lecture what the stage does.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// Draws title, narration, code line and badge; scrolls if they are longer than the area.
void draw_story(ViewContext& context, const Rect& area);

/// The height of the story at this width, in design pixels.
float story_height(ViewContext& context, float width);

/// The story as a band over the whole width: title and badge at the left, words and code beside them.
void draw_story_band(ViewContext& context, const Rect& area);
float story_band_height(ViewContext& context, float width);

/// For views without a place for the story: cuts a band with the lecture's step off the top of the area, at most
/// `share` of its height. Does nothing without a lecture.
void cut_lecture_band(ViewContext& context, Rect& area, float share);

}  // namespace headlight
