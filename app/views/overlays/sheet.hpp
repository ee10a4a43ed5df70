// A sheet in the middle of the surface, over everything else, which it makes quiet.
#pragma once

#include <optional>
#include <string_view>

#include "app/ui/drawing/layer.hpp"

namespace headlight {

class Sheet {
 public:
  /// At most this large; smaller where the surface is.
  Sheet(Ui& ui, std::string_view id, float width, float height);
  /// Takes the keys that are left: what lies below is not worked with them.
  ~Sheet();
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  /// The sheet without its padding.
  const Rect& area() const { return area_; }
  /// Escape, or a click beside it.
  bool dismissed();
  /// A heading in its first line with a cross at the end; true when that was pressed. Takes the line off the area.
  bool heading(std::string_view title);

 private:
  Ui& ui_;
  Layer layer_;
  Rect sheet_;
  Rect area_;
  bool clicked_beside_ = false;
};

}  // namespace headlight
