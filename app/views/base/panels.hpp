// Folding the two side panels to rails, and changing their width. A small window and a lesson have no room for them:
// there an open panel is a sheet over the rest.
#pragma once

#include <optional>

#include "app/views/base/layout.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct PanelsMemory {
  std::optional<SidePanel> asked_for;  ///< the panel that was opened last; it stays open if only one fits
  std::optional<SidePanel> sheet;      ///< the panel that is open over a small window or a lesson
};

/// Whether the window is as small as a phone, upright or sideways: then it is read and used as one. It is measured in
/// pixels of the display's own scale: type that the user has enlarged does not make a window small.
bool is_small_window(const ViewContext& context);

/// Whether panels are sheets: in a small window, in a lesson, and on the page of a sentence.
bool has_sheets(const ViewContext& context);

/// The layout of this frame.
Layout current_layout(const ViewContext& context);

/// Unfolds the panel; the other one folds if there is no room for both. In a small window it comes as a sheet.
void open_panel(ViewContext& context, SidePanel panel);
/// Folds the panel if it is open, opens it if it is folded.
void toggle_panel(ViewContext& context, SidePanel panel);
/// Whether neither the panel nor its sheet is open.
bool is_folded(const ViewContext& context, SidePanel panel);

/// The first button of a folded panel; the others follow below, this far apart.
Rect first_of_rail(const Ui& ui, const Rect& area);
inline constexpr float rail_gap = 10;
/// Draws the folded inspector: buttons that open it and pin the cell.
void draw_inspector_rail(ViewContext& context, Rect area);
/// Draws the edges of open panels: drag to resize, drag far inwards or double-click to fold.
void draw_panel_edges(ViewContext& context, const Layout& layout);

}  // namespace headlight
