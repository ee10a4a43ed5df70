#include "app/views/equation/equation_parts.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr float least_share = 0.28f;

/// The words joined by commas. If there is not enough room the first ones are dropped, because the symbol beside them
/// says the same.
std::string words_that_fit(const Canvas& canvas, std::span<const std::string> words, float width) {
  for (; !words.empty(); words = words.subspan(1)) {
    std::string joined = fmt::format("{}", fmt::join(words, ", "));
    if (canvas.width(joined, TextStyle::body) <= width) return joined;
  }
  return {};
}

}  // namespace

Shares shared(Index first, Index second, float length, float largest, float readable) {
  const float a = largest * static_cast<float>(first);
  const float b = largest * static_cast<float>(second);
  if (a + b <= length) return {a, b};
  const float even_pitch = length / static_cast<float>(first + second);
  if (even_pitch >= readable) return {even_pitch * static_cast<float>(first), even_pitch * static_cast<float>(second)};
  const auto least = [&](Index cells, Index others, float full) {
    const bool read = cells <= most_read && others > most_read;
    return std::min(full, std::max(least_share * length,
                                   read ? std::min(readable * static_cast<float>(cells), 0.6f * length) : 0.0f));
  };
  const float least_a = least(first, second, a);
  const float least_b = least(second, first, b);
  const float even = length * a / (a + b);
  const float most_a = length - least_b;  // less than the least where an area is tried that has no room at all
  const float given = std::clamp(even, std::min(least_a, most_a), most_a);
  return {given, std::min(b, length - given)};
}

namespace {

/// The picture of the last rows of the tensor's matrix, if it has more.
TensorPicture last_rows(TensorPicture picture, Index count) {
  const Index rows = picture.slice.rows(), columns = picture.slice.columns();
  return rows <= count ? picture : part_of(std::move(picture), {{rows - count, rows}, {0, columns}});
}

/// Past positions of X make no queries: where the other rows are those of queries, they have no part in the product.
void leave_out_past(EquationPictures& pictures) {
  TensorPicture &left = pictures.left, &right = pictures.right, &result = pictures.result;
  const Index rows = std::min(left.rows_on_screen(), result.rows_on_screen());
  const Index inner = std::min(left.columns_on_screen(), right.rows_on_screen());
  left = last_rows(std::move(left), left.transposed ? inner : rows);
  if (!right.transposed) right = last_rows(std::move(right), inner);
  if (!result.transposed) result = last_rows(std::move(result), rows);
}

}  // namespace

EquationPictures pictures_of(const ViewContext& context, const Equation& equation) {
  const Selection& selection = context.session.selection();
  const auto shown = [&](const ShownTensor& operand) {
    TensorPicture picture = picture_of(context, operand.tensor, selection.batch, selection.head);
    picture.transposed = operand.transposed;
    return picture;
  };
  EquationPictures pictures;
  pictures.result = shown(equation.result);
  if (equation.twin) pictures.twin = shown(*equation.twin);
  if (equation.kind == EquationKind::product) {
    pictures.left = shown(equation.left);
    pictures.right = shown(equation.right);
    if (equation.bias) pictures.bias = shown(*equation.bias);
    if (context.session.setup().past() > 0) leave_out_past(pictures);
  } else if (equation.kind != EquationKind::alone) {
    pictures.before = shown(equation.before);
  }
  if (equation.kind != EquationKind::pieces) return pictures;
  const Setup& setup = context.session.setup();
  const TensorId parts = (info(equation.result.tensor).has_heads() ? equation.result : equation.before).tensor;
  const Index count = info(parts).has_kv_heads() ? setup.kv_heads() : setup.sizes.heads;
  for (Index head = 0; head < count; ++head)
    pictures.heads.push_back(picture_of(context, parts, selection.batch, head * (setup.sizes.heads / count)));
  return pictures;
}

CellsAtFirst shown_cells(const Session& session, const TensorPicture& picture, const Rung& rung, ZoomAxis along) {
  CellsAtFirst cells = cells_at_first(session, picture);
  if (rung.gives(Concession::one_row)) (along == ZoomAxis::columns ? cells.columns : cells.rows) = 1;
  return cells;
}

Zoom shown_zoom(Zoom zoom, const Rung& rung, ZoomAxis along, Index row) {
  if (rung.gives(Concession::one_row)) zoom.view(along) = AxisView{static_cast<double>(row), 1};
  return zoom;
}

void draw_operand_title(const Canvas& canvas, const Rect& row, const TensorPicture& picture, const Setup& setup,
                        const TitleNote& note) {
  const Theme& theme = canvas.theme();
  const Color ink = theme.identity(info(picture.tensor).role, theme.text);
  const Symbol symbol = symbol_of(named_after(picture.tensor, setup));
  const bool turned_over = info(picture.tensor).rank > 1 && picture.transposed != shown_turned(picture.tensor, setup);
  const float baseline = canvas.centered_baseline(row, TextStyle::heading);
  float x = row.x;
  x += canvas.text({x, baseline}, symbol.base, TextStyle::heading, ink);
  x += canvas.text({x, baseline}, symbol.subscript, TextStyle::heading, ink, Align::left, Script::sub);
  if (turned_over) x += canvas.text({x, baseline}, "ᵀ", TextStyle::heading, ink);
  if (note.power != 0)
    x += canvas.text({x, baseline}, fmt::format(" {}", power_words(note.power)), TextStyle::heading, theme.text);
  const std::string shape = Shape{picture.rows_on_screen(), picture.columns_on_screen()}.to_string();
  std::vector<std::string> words = title_words(picture.tensor, picture.batch, picture.head, setup);
  if (note.reduced) words.emplace_back(words_of(picture.reduction));
  float left = row.right() - x - 8;
  // If room is short, drop the shape, which is written elsewhere too, and keep the words on what a pixel shows.
  const float needed = note.reduced ? canvas.width(words.back(), TextStyle::body) + 8 : 0;
  const float shape_width = canvas.width(shape, TextStyle::code);
  if (left >= shape_width + needed) {
    canvas.text({row.right(), baseline}, shape, TextStyle::code, theme.text3, Align::right);
    left -= shape_width + 8;
  }
  canvas.text({x + 8, baseline}, words_that_fit(canvas, words, left), TextStyle::body, theme.text2);
}

void draw_operand_title(const Canvas& canvas, const Rect& row, const PlacedPicture& placed, const Setup& setup) {
  draw_operand_title(canvas, row, placed.picture, setup, {placed.layout().reduced(), placed.power});
}

void draw_outline(const Canvas& canvas, const Rect& cells, TensorId tensor, float distance) {
  const Color ink = canvas.theme().identity(info(tensor).role);
  const Rect r = cells.outset(distance);
  if (is_gradient(tensor)) canvas.dashed(r, ink, 1.5f, distance);
  else canvas.stroke(r, ink, 1.5f, distance);
}

void draw_twin(ViewContext& context, const PlacedPicture& placed, const PictureLight& light, float below) {
  const Canvas canvas = context.ui.canvas();
  const Rect& cells = placed.layout().area();
  draw_labels(context, placed.picture, placed.layout(), light, strip_above(cells, 20, 10));
  draw_cells(context, "twin", placed, light, {.ring = false});
  draw_outline(canvas, cells, placed.picture.tensor);
  if (light.ring) {
    const Rect cell = placed.layout().rect_of(*light.ring).intersected(cells);
    if (!cell.empty()) canvas.stroke(cell.outset(2), canvas.theme().lamp, 2, 5);
  }
  draw_operand_title(canvas, {cells.x, cells.bottom() + below, std::max(cells.w, 150.0f), title_row}, placed,
                     context.session.setup());
}

void draw_happening(const Canvas& canvas, const Rect& cell, std::string_view words) {
  if (cell.empty()) return;
  const Theme& theme = canvas.theme();
  const float width = canvas.width(words, TextStyle::number_strong) + 20;
  // Beside the first and the last column it would leave the picture.
  const Rect room = canvas.clip().inset(4);
  const float x = std::max(room.x, std::min(cell.center().x - width / 2, room.right() - width));
  const Rect bubble{x, std::max(room.y, cell.y - 36), width, 28};
  canvas.fill(bubble, theme.raised, 6);
  canvas.stroke(bubble, theme.outline, 1, 6);
  canvas.text_in(bubble, words, TextStyle::number_strong, theme.text, Align::center);
}

bool focused(const ViewContext& context) {
  return !context.presenting && (context.session.state().pinned || context.session.state().hovered.has_value());
}

Focus focus_of(const ViewContext& context, std::initializer_list<TensorId> shown, TensorId otherwise) {
  const Session& session = context.session;
  const Cell cell = session.cell();
  const bool here = std::find(shown.begin(), shown.end(), cell.tensor) != shown.end();
  const Selection selection = here ? at_cell(session.selection(), cell, session.setup())
                                   : on_tensor(session.selection(), otherwise, session.setup());
  return {selection.tensor, selection.row, selection.column, !points_at_answer(session)};
}

Focus on_gradient(Focus focus, const Equation& equation) {
  if (equation.twin && focus.tensor == equation.twin->tensor) focus.tensor = equation.result.tensor;
  return focus;
}

}  // namespace headlight
