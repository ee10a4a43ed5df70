// More about a step, for who learns alone: over the picture, on request.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

inline constexpr float more_button_width = 56;
/// Shows it, or hides it again.
void draw_more_button(ViewContext& context, const Rect& area);

/// The words at the foot of the area, if the user asked for them. A click beside their links closes them.
void draw_more_over(ViewContext& context, const Rect& area);

}  // namespace headlight
