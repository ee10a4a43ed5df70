#include "app/views/pictures/sources_picture.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/pictures/step_pictures.hpp"
#include "app/views/tensors/axis_labels.hpp"

namespace headlight {
namespace {

constexpr float title_line = 30;
constexpr float words_line = 22;
constexpr float names_height = 26;
constexpr float before_sums = 10;
constexpr float beside_names = 10;
constexpr float widest_cell = 92;
constexpr float narrowest_cell = 40;
constexpr float highest_cell = 46;
constexpr float lowest_cell = 22;
constexpr float between_parts = 2;
constexpr std::size_t most_in_picture = 9;
constexpr int most_digits = 3;

/// A number of the table as it is written everywhere in it: with the same decimals, as many as fit.
NumberFormat format_of(const PartsTable& table, int characters) {
  double largest = std::abs(table.sum);
  for (const auto* numbers : {&table.numbers, &table.row_sums, &table.column_sums})
    for (const double number : *numbers) largest = std::max(largest, std::abs(number));
  return format_that_fits(largest, true, characters, most_digits);
}

class SourcesDrawing : FrameTools {
 public:
  SourcesDrawing(ViewContext& context, const Rect& area, const PartsTable& table, const Cell& cell)
      : FrameTools(context), table_(table), cell_(cell), setup_(session_.model_trace().at(cell.layer).setup) {
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      names_ = std::max(names_, canvas_.width(row_name(row), TextStyle::code));
    names_ = std::ceil(std::max(names_, canvas_.width("sum", TextStyle::control_strong))) + beside_names;
    const auto across = static_cast<float>(columns() + (has_sums() ? 1 : 0));
    cell_w_ = std::clamp((area.w - names_ - before_sums) / across, narrowest_cell, widest_cell);
    const auto down = static_cast<float>(rows() + 1);
    cell_h_ = std::clamp((area.h - names_height - before_sums) / down, lowest_cell, highest_cell);
    origin_ = {area.x + names_, area.y + names_height};
    double largest = 0;
    for (const double number : table.numbers) largest = std::max(largest, std::abs(number));
    scale_ = ColorScale::symmetric(largest);
    format_ = format_of(table, static_cast<int>((cell_w_ - between_parts) / canvas_.width("0", TextStyle::mono)));
  }

  void draw() {
    const Rect last_sum = box(columns(), rows());
    ui_.item("box",
             {origin_.x - names_, origin_.y - names_height, last_sum.right() - origin_.x + names_,
              last_sum.bottom() - origin_.y + names_height},
             {.focusable = false});
    for (std::size_t column = 0; column < columns(); ++column) draw_name(column, false);
    for (std::size_t row = 0; row < rows(); ++row) {
      draw_name(row, true);
      for (std::size_t column = 0; column < columns(); ++column) draw_number(row, column);
      if (has_sums()) write(box(columns(), row), table_.row_sums[row], TextStyle::mono);
    }
    const Rect last = box(0, rows());
    canvas_.line({last.x, last.y - before_sums / 2},
                 {box(columns() - (has_sums() ? 0 : 1), 0).right(), last.y - before_sums / 2}, theme_.line_strong);
    canvas_.text_in({origin_.x - names_, last.y, names_ - beside_names, last.h}, "sum", TextStyle::control_strong,
                    theme_.text2, Align::right);
    if (has_sums())
      for (std::size_t column = 0; column < columns(); ++column)
        write(box(column, rows()), table_.column_sums[column], TextStyle::mono);
    write(box(has_sums() ? columns() : 0, rows()), table_.sum, TextStyle::mono_strong);
  }

 private:
  std::size_t rows() const { return table_.rows.size(); }
  std::size_t columns() const { return table_.columns.size(); }
  bool is_score() const { return info(cell_.tensor).rank == 4; }
  bool has_sums() const { return is_score(); }
  std::string row_name(std::size_t row) const { return label_of(table_.rows[row], table_.joined_rows, setup_); }
  std::string column_name(std::size_t column) const {
    if (!is_score()) return "gives";
    const std::string name = label_of(table_.columns[column], table_.joined_columns, setup_);
    const bool fits = canvas_.width(name, TextStyle::code) <= cell_w_;
    return fits || table_.columns[column] ? name : fmt::format("+{}", table_.joined_columns);
  }

  /// A cell; behind the last row and column are the sums.
  Rect box(std::size_t column, std::size_t row) const {
    return {origin_.x + cell_w_ * static_cast<float>(column) + (column == columns() ? before_sums : 0),
            origin_.y + cell_h_ * static_cast<float>(row) + (row == rows() ? before_sums : 0), cell_w_ - between_parts,
            cell_h_ - between_parts};
  }

  void write(const Rect& at, double number, TextStyle style) const {
    canvas_.text_in(at, format_(number), style, theme_.text, Align::center);
  }

  void draw_number(std::size_t row, std::size_t column) {
    const Rect at = box(column, row);
    const double number = table_.at(row, column);
    const Color fill = scale_.color(theme_, number);
    canvas_.fill(at, fill, 3);
    canvas_.text_in(at, format_(number), TextStyle::mono, number_on(fill), Align::center);
    const Item item = context_.ui.item(fmt::format("part {} {}", row, column), at, {.focusable = false});
    const std::string who = is_score()
                                ? fmt::format("{} for the query, {} for the key", row_name(row), column_name(column))
                                : row_name(row);
    context_.ui.tooltip(item, fmt::format("{}: {}", who, exact_text(number, Precision::float64)));
  }

  /// The name of a source; where it is a head's, a click shows where the head looks.
  void draw_name(std::size_t index, bool beside) {
    const std::string name = beside ? row_name(index) : column_name(index);
    const Rect cell = beside ? box(0, index) : box(index, 0);
    const Rect at = beside ? Rect{origin_.x - names_, cell.y, names_ - beside_names, cell.h}
                           : Rect{cell.x, origin_.y - names_height, cell.w, names_height};
    const TableSource& source = beside ? table_.rows[index] : table_.columns[index];
    Color ink = is_score() ? theme_.identity(beside ? Role::query : Role::key) : theme_.text2;
    if (source && source->head) {
      const Item item =
          context_.ui.item(fmt::format("source {} {}", beside ? "row" : "column", index), at, {.focusable = false});
      context_.ui.tooltip(item, "Where this head looks");
      if (item.hovered) ink = theme_.text;
      if (item.clicked) Selecting(session_).pin(seen_by(*source, beside));
    }
    canvas_.text_in(at, canvas_.ellipsized(name, TextStyle::code, at.w), TextStyle::code, ink,
                    beside ? Align::right : Align::center);
  }

  /// The largest weight of a head at the position that it wrote to.
  Cell seen_by(const StreamSource& source, bool for_query) const {
    const Index position = is_score() && !for_query ? cell_.index[3] : cell_.index[is_score() ? 2 : 1];
    const Tensor& weights = session_.model_trace().at(source.layer)[TensorId::weights];
    const Index query = std::min(position, weights.shape()[2] - 1);
    Index best = 0;
    for (Index key = 1; key < weights.shape()[3]; ++key)
      if (weights.at({cell_.index[0], *source.head, query, key}) >
          weights.at({cell_.index[0], *source.head, query, best}))
        best = key;
    return {TensorId::weights, {cell_.index[0], *source.head, query, best}, source.layer};
  }

  const PartsTable& table_;
  const Cell& cell_;
  const Setup& setup_;
  ColorScale scale_;
  NumberFormat format_;
  Point origin_;
  float names_ = 0, cell_w_ = 0, cell_h_ = 0;
};

/// "query k at 10", or "query 10" where its token has no name.
std::string place(std::string_view word, const Cell& cell, bool last, const Session& session) {
  const Index index = cell.index.back(last ? 0 : 1);
  const std::string token = axis_label(cell.tensor, last, index, session).token;
  return token.empty() ? fmt::format("{} {}", word, index) : fmt::format("{} {} at {}", word, token, index);
}

std::string words_about(const Cell& cell, const Session& session) {
  if (info(cell.tensor).rank != 4) return "what each has written for " + place("position", cell, false, session);
  return fmt::format("rows: who wrote the part of {}; columns: of {}", place("query", cell, false, session),
                     place("key", cell, true, session));
}

/// What the sum and the number still differ by; empty where it is nothing that shows.
std::string remainder_words(const PartsTable& table) {
  std::string words;
  if (table.position_bias) words = fmt::format("ALiBi adds {:.4g}.", *table.position_bias);
  if (std::abs(table.rest) > 1e-9 * std::max(1.0, std::abs(table.sum)))
    words += fmt::format("{}Rounding leaves {:.2g}.", words.empty() ? "" : " ", table.rest);
  return words;
}

}  // namespace

float sources_height(const PartsTable& table) {
  return names_height + before_sums + lowest_cell * static_cast<float>(table.rows.size() + 1);
}

void draw_sources_table(ViewContext& context, const Rect& area, const PartsTable& table, const Cell& cell) {
  SourcesDrawing(context, area, table, cell).draw();
}

void draw_sources_figure(ViewContext& context, const Rect& area) {
  const Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const auto cell = cell_with_parts(session.model_trace(), session.cell());
  if (!cell) {
    canvas.paragraph({area.x, area.y + 20},
                     "A score and a logit can be taken apart by who wrote them, unless norms come after attention.",
                     TextStyle::body, theme.text2, area.w);
    return;
  }
  Rect rest = area;
  const Rect title = rest.cut_top(title_line);
  const bool hidden = session.lesson().hides(*cell, session.setup());
  const std::string number = hidden ? "?" : fmt::format("{:.4g}", session.model_trace().value(*cell));
  canvas.text_in(title, fmt::format("{} = {}", to_string(*cell), number), TextStyle::mono_strong, theme.text);
  const std::string words = words_about(*cell, session);
  const auto lines = canvas.wrapped(words, TextStyle::control, rest.w);
  canvas.paragraph({rest.x, rest.y + 16}, words, TextStyle::control, theme.text2, rest.w, words_line);
  rest.cut_top(words_line * static_cast<float>(lines.size()) + 4);
  if (hidden) {
    const Rect place = rest.cut_top(words_line);
    context.ui.item("box", place, {.focusable = false});
    canvas.text_in(place, "The table appears with the answer.", TextStyle::control, theme.text3);
    return;
  }
  const PartsTable table = table_of(parts_of(session.model_trace(), *cell), most_in_picture);
  const std::string remainder = remainder_words(table);
  if (!remainder.empty()) canvas.text_in(rest.cut_bottom(words_line), remainder, TextStyle::control, theme.text2);
  draw_sources_table(context, rest, table, *cell);
}

PictureFit fit_of(const ViewContext& context, const SourcesPicture&, const Rect& area) {
  const auto cell = cell_with_parts(context.session.model_trace(), context.session.cell());
  if (!cell) return {.cells = Cells::missing};
  const PartsTable table = table_of(parts_of(context.session.model_trace(), *cell), most_in_picture);
  const float across = static_cast<float>(table.columns.size() + 1) * narrowest_cell + 80;
  const float down = title_line + 2 * words_line + sources_height(table);
  const float pitch = std::min(area.w / across, area.h / down) * lowest_cell;
  if (pitch < lowest_cell) return {.cells = Cells::unreadable, .pitch = pitch};
  return {.cells = pitch < 1.3f * lowest_cell ? Cells::readable : Cells::comfortable, .pitch = pitch};
}

void draw_picture(ViewContext& context, const SourcesPicture&, const Rect& area) { draw_sources_figure(context, area); }

}  // namespace headlight
