// The view that is shown, whichever it is.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/view_table.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Draws only one view, as in the centre.
void draw_view(ViewContext& context, const Rect& area, View view);

/// Draws the panel at the right of a view.
using DrawArea = void (*)(ViewContext&, Rect);
DrawArea panel_beside(View view);

}  // namespace headlight
