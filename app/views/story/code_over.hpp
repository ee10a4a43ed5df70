// The code of a step on a slide: below the picture, or over it on request, especially if it gave way to the picture.
#pragma once

#include <string_view>

#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// The code of a slide, in the largest type in which no line breaks.
float slide_code_height(const Canvas& canvas, float width, std::string_view code);
void draw_slide_code(const Canvas& canvas, Rect area, std::string_view code);

inline constexpr float code_button_width = 52;
/// Shows the code, or hides it again.
void draw_code_button(ViewContext& context, const Rect& area);

/// The code at the foot of the area, if the user asked for it. A click on it closes it.
void draw_code_over(ViewContext& context, const Rect& area);

}  // namespace headlight
