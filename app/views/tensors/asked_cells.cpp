#include "app/views/tensors/asked_cells.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_memory.hpp"
#include "core/lecture/question.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// The smallest cell that a question mark can be read in.
constexpr float least_cell = 14;

struct Marks {
  std::optional<double> guess;
  std::optional<double> answer;
};

/// On a disc.
void draw_corner_sign(const Canvas& canvas, const CornerSign& sign) {
  canvas.disc(sign.corner, sign.radius + 1.5f, canvas.theme().canvas);
  canvas.disc(sign.corner, sign.radius, sign.color);
  const float size = 1.3f * sign.radius;
  canvas.icon(sign.icon, {sign.corner.x - size / 2, sign.corner.y - size / 2}, canvas.theme().panel, 2, size);
}

void draw_badge(const ViewContext& context, const Rect& cell, Icon icon, Color color) {
  const float radius = std::min(cell.w, cell.h) < 30 ? 6.0f : 9.0f;
  const CornerSign sign{{cell.right() - 1, cell.y + 1}, icon, color, radius};
  draw_corner_sign(context.ui.canvas(), sign);
  context.memory.get<FrameMemory>().signs.push_back(sign);
}

void draw_frame(const Canvas& canvas, const Rect& cell, double choice, const Marks& marks) {
  if (choice == marks.answer) canvas.ring(cell);
  else if (choice == marks.guess) canvas.stroke(cell.outset(2), canvas.theme().error, 2.5f, 5);
}

void draw_sign(const ViewContext& context, const Rect& cell, double choice, const Marks& marks) {
  if (choice == marks.answer) draw_badge(context, cell, Icon::check, context.ui.theme().ok);
  else if (choice == marks.guess) draw_badge(context, cell, Icon::cross, context.ui.theme().error);
}

std::vector<Index> indices_in(const AxisRange& range, const IndexRange& within) {
  std::vector<Index> indices;
  for (Index i = within.begin; i < within.end; ++i)
    if (range.has(i)) indices.push_back(i);
  return indices;
}

using PartsOf = std::vector<AxisRanges>(const Question&, TensorId, const Setup&);

/// The cells of a block that are in one of these parts of the step's question, in the matrix of a tensor at this batch
/// item and head; also after the answer.
std::vector<GridCell> asked_in(const Session& session, const Selection& matrix, const GridBlock& block,
                               PartsOf& parts_of) {
  std::vector<GridCell> asked;
  const Setup& setup = session.setup();
  if (session.lesson().question() == nullptr || !exists(matrix.tensor, setup)) return asked;
  const Shape at = cell_of({.tensor = matrix.tensor, .batch = matrix.batch, .head = matrix.head}, setup).index;
  for (AxisRanges part : parts_of(*session.lesson().question(), matrix.tensor, setup)) {
    if (part.size() == 1) part.insert(part.begin(), {.count = 1});  // a vector is one row
    const auto rows = part.end() - 2;
    if (!std::equal(part.begin(), rows, at.begin(), [](const AxisRange& range, Index i) { return range.has(i); }))
      continue;
    const std::vector<Index> columns = indices_in(part.back(), block.columns);
    for (const Index row : indices_in(*rows, block.rows))
      for (const Index column : columns) asked.push_back({row, column});
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

bool asks_about(const Session& session, TensorId tensor) { return asks_about(session, tensor, session.setup()); }

bool asks_about(const Session& session, TensorId tensor, const Setup& layer) {
  return session.lesson().asks() && !hidden_parts_of(*session.lesson().question(), tensor, layer).empty();
}

Slice without_asked(const Session& session, const Selection& selection, Slice slice) {
  if (!session.lesson().asks()) return slice;
  const auto asked = asked_in(session, selection, {{0, slice.rows()}, {0, slice.columns()}}, hidden_parts_of);
  if (asked.empty()) return slice;
  Tensor hidden = Tensor::uninitialized(slice.values.precision(), slice.values.shape());
  copy_numbers(slice.hidden.empty() ? Tensor::zeros(hidden.precision(), {}) : slice.hidden, hidden);
  with_element_type(hidden.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (const GridCell& at : asked)
      hidden.writable<T>()[at.row * slice.columns() + at.column] = -std::numeric_limits<T>::infinity();
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

void draw_signs_over(const ViewContext& context, const Rect& frame) {
  const Canvas canvas = context.ui.canvas();
  for (const CornerSign& sign : context.memory.get<FrameMemory>().signs)
    if (frame.outset(sign.radius).contains(sign.corner)) draw_corner_sign(canvas, sign);
}

void draw_asked_cells(const ViewContext& context, const Selection& matrix, GridCell origin,
                      const HeatmapLayout& layout) {
  const Session& session = context.session;
  if (session.lesson().question() == nullptr || layout.reduced()) return;
  const Canvas canvas = context.ui.canvas();
  const AnswerState said = session.lesson().answer_state();
  const Marks marks{said.guess ? said.guess : said.missed, answer_of(session)};
  const GridBlock visible{layout.visible().rows.moved(origin.row), layout.visible().columns.moved(origin.column)};
  const std::optional<double> aimed = context.memory.get<AimedChoice>().choice;
  std::vector<std::pair<Rect, double>> marked;
  for (const GridCell& at : asked_in(session, matrix, visible, marked_parts_of)) {
    const Rect cell = layout.rect_of(GridCell{at.row - origin.row, at.column - origin.column});
    const Selection selection{matrix.tensor, matrix.batch, matrix.head, at.row, at.column};
    const Cell at_cell = cell_of(selection, session.setup());
    const std::optional<double> choice = choice_at(*session.lesson().question(), at_cell, session.setup());
    if (session.lesson().asks()) {
      const bool guessed = choice && choice == said.guess;
      if (session.lesson().hides(at_cell, session.setup())) draw_hidden_cell(canvas, cell, guessed);
      else if (guessed) canvas.ring(cell);
      if (choice && choice == aimed) canvas.focus_ring(cell, 3);
      if (choice && choice == said.missed) draw_badge(context, cell, Icon::cross, context.ui.theme().error);
    } else if (marks.answer && choice) {
      marked.emplace_back(cell, *choice);
    }
  }
  // No frame covers the sign of the cell beside it.
  for (const auto& [cell, choice] : marked) draw_frame(canvas, cell, choice, marks);
  for (const auto& [cell, choice] : marked) draw_sign(context, cell, choice, marks);
}

}  // namespace headlight
