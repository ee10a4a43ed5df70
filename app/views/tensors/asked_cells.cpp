#include "app/views/tensors/asked_cells.hpp"

#include <algorithm>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "core/lecture/question.hpp"

namespace headlight {
namespace {

/// The smallest cell that a question mark can be read in.
constexpr float least_cell = 14;

struct Marks {
  std::optional<double> guess;
  std::optional<double> answer;
};

/// A sign on a disc at the cell's corner.
void draw_badge(const Canvas& canvas, const Rect& cell, Icon icon, Color color) {
  const float radius = std::min(cell.w, cell.h) < 30 ? 6.0f : 9.0f;
  const Point corner{cell.right() - 1, cell.y + 1};
  canvas.disc(corner, radius + 1.5f, canvas.theme().canvas);
  canvas.disc(corner, radius, color);
  const float size = 1.3f * radius;
  canvas.icon(icon, {corner.x - size / 2, corner.y - size / 2}, canvas.theme().panel, 2, size);
}

void hide(const Canvas& canvas, const Rect& cell, bool guessed) {
  const Theme& theme = canvas.theme();
  canvas.fill(cell, theme.raised, 3);
  if (std::min(cell.w, cell.h) < least_cell) return canvas.fill(cell, theme.line_strong, 2);
  canvas.dashed(cell, theme.outline, 1.5f, 3);
  canvas.text_in(cell, "?", TextStyle::heading, theme.text2, Align::center);
  if (guessed) canvas.ring(cell);
}

void mark(const Canvas& canvas, const Rect& cell, double place, const Marks& marks) {
  const Theme& theme = canvas.theme();
  if (place == marks.answer) {
    canvas.ring(cell);
    draw_badge(canvas, cell, Icon::check, theme.ok);
  } else if (place == marks.guess) {
    canvas.stroke(cell.outset(2), theme.error, 2.5f, 5);
    draw_badge(canvas, cell, Icon::cross, theme.error);
  }
}

}  // namespace

void draw_asked_cells(const ViewContext& context, const TensorPicture& picture, const HeatmapLayout& layout) {
  const Session& session = context.session;
  const Question* const question = session.question();
  if (question == nullptr || picture.tensor != question->tensor || layout.reduced()) return;
  const Canvas canvas = context.ui.canvas();
  const Setup& setup = session.setup();
  const Marks marks{session.state().answering.guess, session.answer()};
  const bool batches = info(picture.tensor).has_batch();
  const bool heads = info(picture.tensor).has_heads();
  for (const Cell& cell : cells_of(*question, setup)) {
    const Selection at = at_cell({.tensor = picture.tensor, .batch = picture.batch, .head = picture.head}, cell, setup);
    if ((batches && at.batch != picture.batch) || (heads && at.head != picture.head)) continue;
    const GridCell place{at.row, at.column};
    const GridBlock visible = layout.visible();
    if (!visible.rows.contains(place.row) || !visible.columns.contains(place.column)) continue;
    const auto choice = static_cast<double>(*place_of(*question, cell, setup));
    if (session.asks()) hide(canvas, layout.rect_of(place), choice == marks.guess);
    else if (marks.answer) mark(canvas, layout.rect_of(place), choice, marks);
  }
}

}  // namespace headlight
