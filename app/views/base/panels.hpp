// Folding the two side panels to rails, and changing their width.
#pragma once

#include <optional>

#include "app/views/base/layout.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct PanelsMemory {
  std::optional<SidePanel> asked_for;  ///< the panel that was opened last; it stays open if only one fits
};

/// The layout of this frame.
Layout current_layout(const ViewContext& context);

/// Unfolds the panel; the other one folds if there is no room for both.
void open_panel(ViewContext& context, SidePanel panel);
/// Folds the panel if it is open, opens it if it is folded.
void toggle_panel(ViewContext& context, SidePanel panel);

/// Draws the folded inspector: buttons that open it and pin the cell.
void draw_inspector_rail(ViewContext& context, Rect area);
/// Draws the edges of open panels: drag to resize, drag far inwards or double-click to fold.
void draw_panel_edges(ViewContext& context, const Layout& layout);

}  // namespace headlight
