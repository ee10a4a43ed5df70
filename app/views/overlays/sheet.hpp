// What cards are made of: a sheet in the middle of the surface, with everything behind it dimmed, and a list of which
// one row is chosen, with the arrow keys or with the mouse.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

class Sheet {
 public:
  /// `width` and `height` in design pixels; the sheet is smaller if the surface is.
  Sheet(Ui& ui, std::string_view id, float width, float height);
  /// Takes all keys that are left, so that they do nothing behind the sheet.
  ~Sheet();
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  /// The sheet without its padding.
  const Rect& area() const { return area_; }
  /// Whether the person pressed Escape or clicked beside the sheet.
  bool dismissed();
  /// A heading in the first line, with a cross at its end. Takes the line off the area; true if the cross was clicked.
  bool heading(std::string_view title);

 private:
  Ui& ui_;
  Layer layer_;
  Rect sheet_;
  Rect area_;
  bool clicked_beside_ = false;
};

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
