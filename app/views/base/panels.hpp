// Folding the two side panels to rails, and changing their width. A narrow window has no room beside its column: there
// an open panel is a sheet over it.
#pragma once

#include <optional>

#include "app/views/base/layout.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct PanelsMemory {
  std::optional<SidePanel> asked_for;  ///< the panel that was opened last; it stays open if only one fits
  std::optional<SidePanel> sheet;      ///< the panel that is open over the one column
};

/// Whether the window is so narrow that it has one column. It is measured in pixels of the display's own scale: type
/// that somebody has enlarged does not make a window narrow.
bool has_one_column(const ViewContext& context);

/// The layout of this frame.
Layout current_layout(const ViewContext& context);

/// Unfolds the panel; the other one folds if there is no room for both. Over one column it comes as a sheet.
void open_panel(ViewContext& context, SidePanel panel);
/// Folds the panel if it is open, opens it if it is folded.
void toggle_panel(ViewContext& context, SidePanel panel);
/// Whether neither the panel nor its sheet is open.
bool is_folded(const ViewContext& context, SidePanel panel);

/// Draws the folded inspector: buttons that open it and pin the cell.
void draw_inspector_rail(ViewContext& context, Rect area);
/// Draws the edges of open panels: drag to resize, drag far inwards or double-click to fold.
void draw_panel_edges(ViewContext& context, const Layout& layout);

}  // namespace headlight
