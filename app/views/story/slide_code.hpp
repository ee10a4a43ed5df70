// The code of a step: on a slide below the picture, or over it.
#pragma once

#include <string_view>

#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"

namespace headlight {

/// The code of a slide, in the largest type in which no line breaks.
float slide_code_height(const Canvas& canvas, float width, std::string_view code);
void draw_slide_code(const Canvas& canvas, Rect area, std::string_view code);

}  // namespace headlight
