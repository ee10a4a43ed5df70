// What a lesson and the page of a sentence have around them: margins, the way to the start, a menu.
#pragma once

#include <vector>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct Action;

inline constexpr float page_head = 54;
inline constexpr float page_foot = 62;

/// Whether there is room for a page: parts side by side, and buttons below them.
bool has_room_for_page(const ViewContext& context);
/// The part of the surface between its margins.
Rect page_of(const Rect& surface);

/// Draws the mark, which leads to the start, and cuts it off the row.
void draw_page_mark(ViewContext& context, Rect& row);
/// Draws the button of the menu with these entries, and cuts it off the row.
void draw_page_menu(ViewContext& context, Rect& row, std::vector<const Action*> entries);
/// Draws *Open the workbench*, and cuts it off the row.
void draw_workbench_button(ViewContext& context, Rect& row);

/// Whether Enter was pressed for what comes next, and not for an item or a field.
bool takes_enter(ViewContext& context);

}  // namespace headlight
