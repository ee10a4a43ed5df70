// A row of a list of which one row is chosen, with the arrow keys or with the mouse.
#pragma once

#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

/// Draws what lies behind the row's words, with a bar beside it where it is chosen. Clicked where it is taken.
Item list_row(Ui& ui, std::string_view id, const Rect& row, bool chosen);

}  // namespace headlight
