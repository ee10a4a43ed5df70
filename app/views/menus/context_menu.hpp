// The context menu of a thing in a picture, and the menu of actions that a narrow window has no room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/actions/actions.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct Item;

/// A menu while it is open.
struct ContextMenu {
  std::string heading;
  std::optional<Target> target;  ///< what the entries act on; none: the same as their keys
  std::vector<const Action*> entries;
  Rect beside;                     ///< the menu opens below it
  std::uint64_t version = 0;       ///< of the trace; the menu closes when it changes
  std::optional<std::size_t> row;  ///< the chosen entry
  bool fresh = true;               ///< it opened in this frame, and that click must not close it
};

/// Opens the menu of `target` when `r` is right-clicked.
void offer_menu(ViewContext& context, const Rect& r, const Target& target);
/// The same for an item, whose menu also opens by key while it has the focus.
void offer_menu(ViewContext& context, const Rect& r, const Item& item, const Target& target);

/// Opens the menu of the cell that is shown, at the cell.
void open_menu_of_cell(ViewContext& context);
/// Opens a menu of actions below `beside`.
void open_menu(ViewContext& context, const Rect& beside, std::vector<const Action*> entries);

/// Draws the open menu over everything else, and runs what is chosen.
void draw_context_menu(ViewContext& context);

}  // namespace headlight
