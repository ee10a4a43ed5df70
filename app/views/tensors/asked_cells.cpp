#include "app/views/tensors/asked_cells.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "app/session/lesson.hpp"
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

void draw_frame(const Canvas& canvas, const Rect& cell, double choice, const Marks& marks) {
  if (choice == marks.answer) canvas.ring(cell);
  else if (choice == marks.guess) canvas.stroke(cell.outset(2), canvas.theme().error, 2.5f, 5);
}

void draw_sign(const Canvas& canvas, const Rect& cell, double choice, const Marks& marks) {
  if (choice == marks.answer) draw_badge(canvas, cell, Icon::check, canvas.theme().ok);
  else if (choice == marks.guess) draw_badge(canvas, cell, Icon::cross, canvas.theme().error);
}

struct AskedCell {
  GridCell at;
  std::optional<double> choice;  ///< which of the choices it belongs to; none if it is only hidden
};

/// What is asked in the matrix of a tensor at this batch item and head; also after it was answered.
std::vector<AskedCell> asked_in(const Session& session, const Selection& matrix) {
  const Question* const question = session.lesson().question();
  std::vector<AskedCell> asked;
  if (question == nullptr) return asked;
  for (const Cell& cell : hidden_cells_of(*question, matrix.tensor, session.setup())) {
    const Selection at =
        at_cell({.tensor = matrix.tensor, .batch = matrix.batch, .head = matrix.head}, cell, session.setup());
    const auto choice = choice_at(*question, cell, session.setup());
    if (at.batch == matrix.batch && at.head == matrix.head)
      asked.push_back({{at.row, at.column}, choice ? std::optional(static_cast<double>(*choice)) : std::nullopt});
  }
  return asked;
}

}  // namespace

std::string_view words_instead_of(const Session& session, const Explanation& explanation) {
  const auto hides = [&](const Cell& cell) { return session.lesson().hides(cell, session.setup()); };
  if (hides(explanation.cell)) return "The step asks about it. Its number appears with the answer.";
  const bool needs_hidden = session.lesson().asks() && std::ranges::any_of(explanation.terms, [&](const Term& term) {
                              return std::ranges::any_of(term.factors, [&](const Factor& factor) {
                                return factor.cell && hides(*factor.cell);
                              });
                            });
  return needs_hidden ? "It depends on what the step asks about. Its number appears with the answer." : "";
}

bool asks_about(const Session& session, TensorId tensor) {
  if (!session.lesson().asks()) return false;
  return !hidden_cells_of(*session.lesson().question(), tensor, session.setup()).empty();
}

Slice without_asked(const Session& session, const Selection& selection, Slice slice) {
  const auto asked = session.lesson().asks() ? asked_in(session, selection) : std::vector<AskedCell>{};
  if (asked.empty()) return slice;
  const Shape& shape = slice.values.shape();
  Tensor hidden = Tensor::uninitialized(slice.values.precision(), shape);
  with_element_type(hidden.precision(), [&](auto zero) {
    using T = decltype(zero);
    T* const to = hidden.writable<T>();
    const auto at = [&](Index row, Index column) -> T& { return to[row * shape[1] + column]; };
    for (Index row = 0; row < shape[0]; ++row)
      for (Index column = 0; column < shape[1]; ++column)
        at(row, column) = slice.hidden.empty() ? T{0} : static_cast<T>(slice.hidden.at({row, column}));
    for (const AskedCell& cell : asked)
      if (cell.at.row < shape[0] && cell.at.column < shape[1])
        at(cell.at.row, cell.at.column) = -std::numeric_limits<T>::infinity();
  });
  slice.hidden = hidden;
  return slice;
}

void draw_hidden_cell(const Canvas& canvas, const Rect& cell, bool guessed) {
  const Theme& theme = canvas.theme();
  canvas.fill(cell, theme.raised, 3);
  if (std::min(cell.w, cell.h) < least_cell) return canvas.fill(cell, theme.line_strong, 2);
  canvas.dashed(cell, theme.outline, 1.5f, 3);
  canvas.text_in(cell, "?", TextStyle::heading, theme.text2, Align::center);
  if (guessed) canvas.ring(cell);
}

void draw_asked_cells(const ViewContext& context, const Selection& matrix, GridCell origin,
                      const HeatmapLayout& layout) {
  const Session& session = context.session;
  if (session.lesson().question() == nullptr || layout.reduced()) return;
  const Canvas canvas = context.ui.canvas();
  const AnswerState said = session.lesson().answer_state();
  const Marks marks{said.guess ? said.guess : said.missed, answer_of(session)};
  const GridBlock visible = layout.visible();
  std::vector<std::pair<Rect, double>> marked;
  for (const auto& [at, choice] : asked_in(session, matrix)) {
    const GridCell shown{at.row - origin.row, at.column - origin.column};
    if (!visible.rows.contains(shown.row) || !visible.columns.contains(shown.column)) continue;
    if (session.lesson().asks()) {
      draw_hidden_cell(canvas, layout.rect_of(shown), choice && choice == said.guess);
      if (choice && choice == said.missed) draw_badge(canvas, layout.rect_of(shown), Icon::cross, canvas.theme().error);
    } else if (marks.answer && choice) {
      marked.emplace_back(layout.rect_of(shown), *choice);
    }
  }
  // No frame covers the sign of the cell beside it.
  for (const auto& [cell, choice] : marked) draw_frame(canvas, cell, choice, marks);
  for (const auto& [cell, choice] : marked) draw_sign(canvas, cell, choice, marks);
}

}  // namespace headlight
