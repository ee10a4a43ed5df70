// What of a step covers its picture on request: its code, or more words for who learns alone.
#pragma once

#include "app/session/state/session_state.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

float over_button_width(Over what);
/// Shows it, or hides it again.
void draw_over_button(ViewContext& context, Over what, const Rect& area);

/// What the user asked for, at the foot of the area. A click beside its links closes it.
void draw_over(ViewContext& context, const Rect& area);

}  // namespace headlight
