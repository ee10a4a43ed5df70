// A panel that is drawn row by row, from the top down.
#pragma once

#include <string_view>

#include "app/ui/drawing/canvas.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// The free part of the panel; `y` is the top of the next row.
struct Column {
  ViewContext& context;
  float x = 0;
  float width = 0;
  float y = 0;

  Rect row(float height) {
    y += height;
    return {x, y - height, width, height};
  }
  void space(float height) { y += height; }
  /// The height of a row with links.
  float line() const;
  bool visible(const Rect& r) const;
};

/// A rule across the panel, a title, and quiet words on the right.
void draw_section(Column& column, std::string_view title, std::string_view right = {});

/// Words in as many rows as they need, each `line` high.
void draw_paragraph(Column& column, std::string_view words, TextStyle style, Color ink, float line);

}  // namespace headlight
