// Presenting: a slide with only the lecture's step and its picture.
#pragma once

#include "app/session/display/ink.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/drawing/theme.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// A slide's size in design pixels. It is scaled to fit the screen. On 1280 × 720 everything is twice as large as in a
/// window, so that the smallest type, of 12 design pixels, has the 24 pixels that can be read in a lecture hall.
inline constexpr Point slide_size{640, 360};

/// The colour of a pen on a slide of this theme.
Color pen_color(PenColour colour, const Theme& theme);

/// Draws "5 / 12" at the right end of the row. Returns its width; 0 without a lecture, when it draws nothing.
float draw_step_counter(ViewContext& context, const Rect& row);

/// Draws the slide over the whole surface: the steps along the top edge, the title, the view with its story, the code
/// below. Or draws a black screen.
void draw_slide(ViewContext& context);

}  // namespace headlight
