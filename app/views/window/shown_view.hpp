// The view that is shown, whichever it is.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/view_table.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Draws only one view, as in the centre.
void draw_view(ViewContext& context, const Rect& area, View view);

/// What draws the panel at this side now: the one at the left is for the setup, or for the work that is checked; the
/// one at the right is the view's own.
using DrawArea = void (*)(ViewContext&, Rect);
DrawArea side_panel(const ViewContext& context, SidePanel panel);

}  // namespace headlight
