// The menu of a thing in a picture, and the menu of what a narrow window has no room for. Its entries are actions.
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
  std::optional<Target> target;  ///< what the entries are about; none: each is about what its keys are about
  std::vector<const Action*> entries;
  Rect beside;                     ///< the menu opens below it
  std::uint64_t version = 0;       ///< of the trace: another one closes the menu
  std::optional<std::size_t> row;  ///< the chosen entry
  bool fresh = true;               ///< it opened in this frame, by a click that must not close it
};

/// Opens the menu of `target` after a right click on `r`.
void offer_menu(ViewContext& context, const Rect& r, const Target& target);
/// The same for an item, which also has a menu by its keys while it has the keyboard.
void offer_menu(ViewContext& context, const Rect& r, const Item& item, const Target& target);

/// Opens the menu of the cell that is shown, at the cell.
void open_menu_of_cell(ViewContext& context);
/// Opens a menu of actions below `beside`.
void open_menu(ViewContext& context, const Rect& beside, std::vector<const Action*> entries);

/// Draws the open menu over everything else, and runs what is chosen.
void draw_context_menu(ViewContext& context);

}  // namespace headlight
