// The compare view: states A and B and their difference, or somebody's work and ours.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_compare_view(ViewContext& context, Rect area);
/// The panel at the right: the inspector, or what explains a difference in somebody's work.
void draw_beside_compare(ViewContext& context, Rect area);

}  // namespace headlight
