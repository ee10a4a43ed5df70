// The panel at the left: a control for every key of the setup.
#pragma once

#include "app/ui/geometry.hpp"
#include "app/views/view_context.hpp"

namespace headlight {

void draw_setup_panel(ViewContext& context, Rect area);
/// Folded, 48 wide: an icon per section, with a dot where something differs from the lecture.
void draw_setup_rail(ViewContext& context, Rect area);

}  // namespace headlight
