// The building blocks of cards: a sheet in the middle of the surface, with everything behind it dimmed, and a list in
// which one row is chosen by arrow keys or mouse.
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
  /// The height of a sheet with a heading and so much below it.
  static float height_around(const Ui& ui, float content);
  /// Takes all remaining keys, so that they do nothing behind the sheet.
  ~Sheet();
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  /// The sheet without its padding.
  const Rect& area() const { return area_; }
  /// Whether the user pressed Escape or clicked beside the sheet.
  bool dismissed();
  /// Draws a heading in the first line, with a cross at its end, and cuts the line off the area. True if the cross was
  /// clicked.
  bool heading(std::string_view title);

 private:
  Ui& ui_;
  Layer layer_;
  Rect sheet_;
  Rect area_;
  bool clicked_beside_ = false;
};

/// Draws the row's background, with a bar beside it if it is chosen. The item is clicked when the row is accepted.
Item list_row(Ui& ui, std::string_view id, const Rect& row, bool chosen);

struct ListRows {
  std::size_t count = 0;
  float height = 0;                     ///< of each
  std::optional<std::size_t> revealed;  ///< the row to scroll to
};

/// Draws the visible rows, and scrolls. `draw` draws one and returns whether it was accepted. Returns the accepted row.
std::optional<std::size_t> draw_list(Ui& ui, std::string_view id, const Rect& area, const ListRows& rows,
                                     const std::function<bool(const Rect&, std::size_t)>& draw);

}  // namespace headlight
