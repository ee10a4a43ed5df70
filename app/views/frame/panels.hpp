// The two side panels as things that fold to a rail and change their width.
#pragma once

#include "app/views/frame/layout.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// The layout of this frame.
Layout current_layout(const ViewContext& context);

/// Unfolds the panel, also where the other one has to make room for it.
void open_panel(ViewContext& context, SidePanel panel);
/// Folds it where it is open, opens it where it is folded.
void toggle_panel(ViewContext& context, SidePanel panel);

/// The inspector folded: what opens it again, and the cell, upright.
void draw_inspector_rail(ViewContext& context, Rect area);
/// The edges of open panels: drag to resize, far inwards to fold; a double click folds.
void draw_panel_edges(ViewContext& context, const Layout& layout);

}  // namespace headlight
