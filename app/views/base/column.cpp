#include "app/views/base/column.hpp"

#include "app/ui/ui.hpp"

namespace headlight {

float Column::line() const { return context.ui.reach(24); }

bool Column::visible(const Rect& r) const {
  const Rect clip = context.ui.canvas().clip();
  return r.bottom() >= clip.y && r.y <= clip.bottom();
}

void draw_section(Column& column, std::string_view title, std::string_view right) {
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  column.space(12);
  canvas.fill({column.x - 20, column.y, column.width + 40, 1}, theme.line);
  const Rect row = column.row(38);
  canvas.text_in(row, title, TextStyle::control_strong, theme.text);
  const float left = row.w - canvas.width(title, TextStyle::control_strong) - 12;
  canvas.text_in(row, canvas.ellipsized(right, TextStyle::control, left), TextStyle::control, theme.text3,
                 Align::right);
}

void draw_paragraph(Column& column, std::string_view words, TextStyle style, Color ink, float line) {
  const Canvas canvas = column.context.ui.canvas();
  for (std::string_view text : canvas.wrapped(words, style, column.width))
    canvas.text_in(column.row(line), text, style, ink);
}

}  // namespace headlight
