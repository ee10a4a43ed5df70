// A sheet in the middle of the surface; everything behind it is dimmed.
#pragma once

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

}  // namespace headlight
