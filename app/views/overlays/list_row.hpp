// A list of which one row is chosen, with the arrow keys or with the mouse.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

/// Draws what lies behind the row's words, with a bar beside it where it is chosen. Clicked where it is taken.
Item list_row(Ui& ui, std::string_view id, const Rect& row, bool chosen);

struct ListRows {
  std::size_t count = 0;
  float height = 0;                     ///< of each
  std::optional<std::size_t> revealed;  ///< is scrolled into sight
};

/// Draws the rows that are in sight, and scrolls. `draw` draws one, and says whether it was taken; returns which was.
std::optional<std::size_t> draw_list(Ui& ui, std::string_view id, const Rect& area, const ListRows& rows,
                                     const std::function<bool(const Rect&, std::size_t)>& draw);

}  // namespace headlight
