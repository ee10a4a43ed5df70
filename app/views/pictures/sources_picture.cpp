#include "app/views/pictures/sources_picture.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap.hpp"
#include "app/heatmap/heatmap_renderer.hpp"
#include "app/heatmap/numbers.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/pictures/step_pictures.hpp"
#include "app/views/tensors/asked_cells.hpp"
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
constexpr float sources_names = 84;  ///< room for the names at the left, where their width isn't measured
constexpr float widest_tile = 220;
constexpr float smallest_tile = 36;
constexpr float scale_line = 30;  ///< below tiles: what their colours mean
constexpr float widest_token = 64;
constexpr float between_parts = 2;
constexpr std::size_t most_in_picture = 9;
constexpr std::size_t most_tiles = 6;  ///< in a row of a whole head's picture
constexpr int most_digits = 3;

/// A number of the table as it is written everywhere in it: with the same decimals, as many as fit.
NumberFormat format_of(const PartsTable& table, int characters) {
  double largest = std::abs(table.sum);
  for (const auto* numbers : {&table.numbers, &table.row_sums, &table.column_sums})
    for (const double number : *numbers) largest = std::max(largest, std::abs(number));
  return format_that_fits(largest, true, characters, most_digits);
}

/// The largest size of the visible numbers of all tiles, sums included.
double largest_visible(const WholePartsTable& table, const Tensor& hidden) {
  double largest = 0;
  std::vector<Tensor> tiles = table.numbers;
  for (const auto* sums : {&table.row_sums, &table.column_sums}) tiles.insert(tiles.end(), sums->begin(), sums->end());
  tiles.push_back(table.sum);
  for (const Tensor& tile : tiles) {
    const Slice slice{tile, hidden};
    for (Index row = 0; row < slice.rows(); ++row)
      for (Index column = 0; column < slice.columns(); ++column)
        if (slice.kind(row, column) != CellKind::masked)
          largest = std::max(largest, std::abs(slice.value(row, column)));
  }
  return largest;
}

/// What both tables have: names at the left and on top, the sums behind a line.
template <class Entry>
class SourcesDrawing : protected FrameTools {
 public:
  SourcesDrawing(ViewContext& context, const TableOfParts<Entry>& table, const Cell& cell)
      : FrameTools(context), table_(table), cell_(cell), setup_(session_.model_trace().at(cell.layer).setup) {
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      names_ = std::max(names_, canvas_.width(row_name(row), TextStyle::code));
    names_ = std::ceil(std::max(names_, canvas_.width("sum", TextStyle::control_strong))) + beside_names;
  }
  virtual ~SourcesDrawing() = default;

  void draw() {
    const Rect last_sum = box(columns(), rows());
    ui_.item("box",
             {origin_.x - names_, origin_.y - names_height, last_sum.right() - origin_.x + names_,
              last_sum.bottom() - origin_.y + names_height},
             {.focusable = false});
    for (std::size_t column = 0; column < columns(); ++column) draw_name(column, false);
    if (has_sums())
      canvas_.text_in({box(columns(), 0).x, origin_.y - names_height, cell_w_ - between_parts, names_height}, "sum",
                      TextStyle::control_strong, theme_.text2, Align::center);
    for (std::size_t row = 0; row < rows(); ++row) {
      draw_name(row, true);
      for (std::size_t column = 0; column < columns(); ++column)
        draw_entry(fmt::format("part {} {}", row, column), box(column, row), table_.at(row, column),
                   is_score() ? fmt::format("{} for the query, {} for the key", row_name(row), column_name(column))
                              : row_name(row));
      if (has_sums()) draw_sum(fmt::format("row sum {}", row), box(columns(), row), table_.row_sums[row], false);
    }
    const Rect last = box(0, rows());
    canvas_.line({last.x, last.y - before_sums / 2},
                 {box(columns() - (has_sums() ? 0 : 1), 0).right(), last.y - before_sums / 2}, theme_.line_strong);
    canvas_.text_in({origin_.x - names_, last.y, names_ - beside_names, last.h}, "sum", TextStyle::control_strong,
                    theme_.text2, Align::right);
    if (has_sums())
      for (std::size_t column = 0; column < columns(); ++column)
        draw_sum(fmt::format("column sum {}", column), box(column, rows()), table_.column_sums[column], false);
    draw_sum("sum", box(has_sums() ? columns() : 0, rows()), table_.sum, true);
  }

 protected:
  virtual void draw_entry(const std::string& id, const Rect& at, const Entry& entry, const std::string& who) = 0;
  virtual void draw_sum(const std::string& id, const Rect& at, const Entry& sum, bool is_last) = 0;

  std::size_t rows() const { return table_.rows.size(); }
  std::size_t columns() const { return table_.columns.size(); }
  bool is_score() const { return info(cell_.tensor).rank == 4; }
  bool has_sums() const { return is_score(); }
  /// As many entries as stand beside and below each other, sums included.
  float across() const { return static_cast<float>(columns() + (has_sums() ? 1 : 0)); }
  float down() const { return static_cast<float>(rows() + 1); }
  void place(const Rect& area, float cell_w, float cell_h) {
    origin_ = {area.x + names_, area.y + names_height};
    cell_w_ = cell_w;
    cell_h_ = cell_h;
  }
  /// The width of the longest name above a column.
  float widest_column_name() const {
    float longest = 0;
    for (const TableSource& column : table_.columns)
      if (column) longest = std::max(longest, canvas_.width(label_of(column, 0, setup_), TextStyle::code));
    return longest;
  }

  std::string row_name(std::size_t row) const { return label_of(table_.rows[row], table_.joined_rows, setup_); }
  std::string column_name(std::size_t column) const {
    if (!is_score()) return "gives";
    const std::string name = label_of(table_.columns[column], table_.joined_columns, setup_);
    const bool fits = canvas_.ellipsized(name, TextStyle::code, cell_w_ - between_parts) == name;
    return fits || table_.columns[column] ? name : fmt::format("+{}", table_.joined_columns);
  }

  /// An entry; behind the last row and column are the sums.
  Rect box(std::size_t column, std::size_t row) const {
    return {origin_.x + cell_w_ * static_cast<float>(column) + (column == columns() ? before_sums : 0),
            origin_.y + cell_h_ * static_cast<float>(row) + (row == rows() ? before_sums : 0), cell_w_ - between_parts,
            cell_h_ - between_parts};
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

  const TableOfParts<Entry>& table_;
  const Cell& cell_;
  const Setup& setup_;
  Point origin_;
  float names_ = 0, cell_w_ = 0, cell_h_ = 0;
};

/// Of one number: the numbers that it is the sum of.
class NumbersDrawing : public SourcesDrawing<double> {
 public:
  NumbersDrawing(ViewContext& context, const Rect& area, const PartsTable& table, const Cell& cell)
      : SourcesDrawing(context, table, cell), asked_(context.session.lesson().hides(cell, context.session.setup())) {
    const float wide = std::clamp((area.w - names_ - before_sums) / across(), narrowest_cell, widest_cell);
    const float high = std::clamp((area.h - names_height - before_sums) / down(), lowest_cell, highest_cell);
    place(area, wide, high);
    double largest = 0;
    for (const double number : table.numbers) largest = std::max(largest, std::abs(number));
    scale_ = ColorScale::symmetric(largest);
    format_ = format_of(table, static_cast<int>((wide - between_parts) / canvas_.width("0", TextStyle::mono)));
  }

 private:
  void draw_entry(const std::string& id, const Rect& at, const double& number, const std::string& who) override {
    if (asked_) {
      draw_hidden_cell(canvas_, at);
      ui_.item(id, at, {.focusable = false});
      return;
    }
    const Color fill = scale_.color(theme_, number);
    canvas_.fill(at, fill, 3);
    canvas_.text_in(at, format_(number), TextStyle::mono, number_on(fill), Align::center);
    const Item item = ui_.item(id, at, {.focusable = false});
    ui_.tooltip(item, fmt::format("{}: {}", who, exact_text(number, Precision::float64)));
  }
  void draw_sum(const std::string&, const Rect& at, const double& sum, bool is_last) override {
    canvas_.text_in(at, asked_ ? "?" : format_(sum), is_last ? TextStyle::mono_strong : TextStyle::mono, theme_.text,
                    Align::center);
  }

  bool asked_;  ///< the step asks for the number, and so for its parts
  ColorScale scale_;
  NumberFormat format_;
};

/// Of a whole head, or of all logits: the matrices that theirs is the sum of, all in the same colours.
class TilesDrawing : public SourcesDrawing<Tensor> {
 public:
  TilesDrawing(ViewContext& context, const Rect& area, const WholePartsTable& table, const Cell& cell)
      : SourcesDrawing(context, table, cell) {
    const Trace& trace = session_.model_trace().at(cell.layer);
    if (is_score() && trace.has(TensorId::masked_scores))
      hidden_ = slice_of(trace, TensorId::masked_scores, cell.index[0], cell.index[1]).hidden;
    scale_ = ColorScale::symmetric(largest_visible(table, hidden_));
    const auto wide = static_cast<float>(table.sum.shape()[1]), high = static_cast<float>(table.sum.shape()[0]);
    const float tokens = labels_width(canvas_, labels(false), table.sum.shape()[0], widest_token);
    const float pitch_x = (area.w - names_ - before_sums - tokens) / across() / wide;
    const float pitch_y = (area.h - names_height - before_sums - one_label_line - scale_line) / down() / high;
    const float longest = std::max(wide, high);
    const float pitch = std::clamp(std::min(pitch_x, pitch_y), smallest_tile / longest, widest_tile / longest);
    // A low picture still has the names above its columns.
    const float named = std::min(pitch_x * wide, is_score() ? widest_column_name() + 4 : 0);
    place(area, std::max(pitch * wide, named), pitch * high);
  }

  /// The tokens of the queries and the keys, or of the positions and the symbols, beside and below the last sum.
  void draw_tokens() {
    const Rect sum = box(has_sums() ? columns() : 0, rows());
    const HeatmapLayout layout = make_heatmap(Slice{table_.sum, hidden_}, scale_, sum, canvas_.scale()).layout;
    draw_labels_down(canvas_, layout, {sum.right(), sum.y, widest_token, sum.h}, labels(false), Align::left);
    draw_labels_across(canvas_, layout, {sum.x, sum.bottom(), sum.w, one_label_line}, labels(true));
  }

  void draw_scale() {
    const Rect last = box(0, rows());
    const std::string most = fmt::format("{:.3g}", scale_.hi), least = "−" + most;
    const float side = canvas_.width(least, TextStyle::mono) + 8;
    const Rect line{last.x, last.bottom() + one_label_line + 8,
                    std::min(120 + 2 * side, box(columns(), rows()).right() - last.x), 16};
    canvas_.text_in(line, least, TextStyle::mono, theme_.text2);
    canvas_.text_in(line, most, TextStyle::mono, theme_.text2, Align::right);
    draw_color_bar(canvas_, line.inset(side, 3), scale_);
  }

 private:
  void draw_entry(const std::string& id, const Rect& at, const Tensor& tile, const std::string& who) override {
    const Heatmap heatmap = make_heatmap(Slice{tile, hidden_}, scale_, at, canvas_.scale());
    context_.heatmaps.draw(canvas_, heatmap);
    canvas_.stroke(at, theme_.outline, 1);
    const Item item = ui_.item(id, at, {.focusable = false});
    const auto cell = item.hovered ? heatmap.layout.cell_at(ui_.mouse()) : std::nullopt;
    if (!cell) return;
    const Cell number = with_last(cell->row, cell->column);
    ui_.tooltip(item, fmt::format("{}, at {}{}: {}", who, to_string(number), tokens_of(number),
                                  exact_text(tile.at({cell->row, cell->column}), Precision::float64)));
    if (item.clicked) Selecting(session_).pin(number);
  }
  void draw_sum(const std::string& id, const Rect& at, const Tensor& sum, bool is_last) override {
    draw_entry(id, at, sum, is_last ? "all together" : "all of this row or column");
  }

  AxisLabels labels(bool last) const { return axis_labels(theme_, cell_.tensor, last, session_, {}); }

  /// ", k · e", or ", k": the tokens of a number, as far as they have names.
  std::string tokens_of(const Cell& cell) const {
    std::string words;
    for (const bool last : {false, true})
      if (const std::string token = axis_label(cell.tensor, last, cell.index.back(last ? 0 : 1), session_).token;
          !token.empty())
        words += fmt::format("{}{}", words.empty() ? ", " : " · ", token);
    return words;
  }

  Cell with_last(Index row, Index column) const {
    Cell cell = cell_;
    cell.index[cell.index.rank() - 2] = row;
    cell.index[cell.index.rank() - 1] = column;
    return cell;
  }

  Tensor hidden_;
  ColorScale scale_;
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

/// "L1.scores[0,1], head 1 of layer 1"
std::string whole_title(const Cell& cell, const Session& session) {
  const Setup& setup = session.model_trace().at(cell.layer).setup;
  const std::string tensor = name_in_model(cell.tensor, setup);
  if (info(cell.tensor).rank != 4) return fmt::format("{}[{}]", tensor, cell.index[0]);
  return fmt::format("{}[{},{}], head {} of layer {}", tensor, cell.index[0], cell.index[1], cell.index[1], cell.layer);
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

float sources_height(const WholePartsTable& table, float width) {
  const float tile = (width - sources_names) / static_cast<float>(table.columns.size() + 1);
  const float shape = static_cast<float>(table.sum.shape()[0]) / static_cast<float>(table.sum.shape()[1]);
  return names_height + before_sums + one_label_line + scale_line +
         shape * tile * static_cast<float>(table.rows.size() + 1);
}

float sources_height(const PartsTable& table) {
  return names_height + before_sums + lowest_cell * static_cast<float>(table.rows.size() + 1);
}

void draw_sources_table(ViewContext& context, const Rect& area, const PartsTable& table, const Cell& cell) {
  NumbersDrawing(context, area, table, cell).draw();
}

void draw_sources_table(ViewContext& context, const Rect& area, const WholePartsTable& table, const Cell& cell) {
  TilesDrawing drawing(context, area, table, cell);
  drawing.draw();
  drawing.draw_tokens();
  drawing.draw_scale();
}

namespace {

constexpr std::string_view no_parts =
    "A score and a logit can be taken apart by who wrote them, unless norms come after attention.";

/// Takes the title and the words from the area; false where what follows is hidden as long as the step asks for it.
bool draw_heading(ViewContext& context, Rect& area, std::string_view title, bool hidden, const std::string& words) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  canvas.text_in(area.cut_top(title_line), title, TextStyle::mono_strong, theme.text);
  const auto lines = canvas.wrapped(words, TextStyle::control, area.w);
  canvas.paragraph({area.x, area.y + 16}, words, TextStyle::control, theme.text2, area.w, words_line);
  area.cut_top(words_line * static_cast<float>(lines.size()) + 4);
  if (!hidden) return true;
  const Rect place = area.cut_top(words_line);
  context.ui.item("box", place, {.focusable = false});
  canvas.text_in(place, "The table appears with the answer.", TextStyle::control, theme.text3);
  return false;
}

std::optional<Cell> cell_or_words(ViewContext& context, const Rect& area) {
  const auto cell = cell_with_parts(context.session.model_trace(), context.session.cell());
  const Canvas canvas = context.ui.canvas();
  if (!cell)
    canvas.paragraph({area.x, area.y + 20}, std::string(no_parts), TextStyle::body, canvas.theme().text2, area.w);
  return cell;
}

}  // namespace

void draw_sources_figure(ViewContext& context, const Rect& area) {
  const Session& session = context.session;
  const auto cell = cell_or_words(context, area);
  if (!cell) return;
  Rect rest = area;
  const bool hidden = session.lesson().hides(*cell, session.setup());
  const std::string number = hidden ? "?" : fmt::format("{:.4g}", session.model_trace().value(*cell));
  const std::string title = fmt::format("{} = {}", to_string(*cell), number);
  const PartsTable table = table_of(parts_of(session.model_trace(), *cell), most_in_picture);
  const std::string remainder = remainder_words(table);
  // Which sources have names of their own would tell which are the largest.
  if (!draw_heading(context, rest, title, hidden && !remainder.empty(), words_about(*cell, session))) return;
  const Canvas canvas = context.ui.canvas();
  if (!remainder.empty())
    canvas.text_in(rest.cut_bottom(words_line), remainder, TextStyle::control, canvas.theme().text2);
  draw_sources_table(context, rest, table, *cell);
}

void draw_head_sources_figure(ViewContext& context, const Rect& area) {
  const Session& session = context.session;
  const auto cell = cell_or_words(context, area);
  if (!cell) return;
  Rect rest = area;
  const bool is_score = info(cell->tensor).rank == 4;
  const bool hidden = session.lesson().hides(*cell, session.setup());
  const std::string words = is_score ? "rows: who wrote the query's part; columns: the key's. Each picture has all "
                                       "queries and keys; what the mask hides is left out."
                                     : "what each has written for all positions";
  if (!draw_heading(context, rest, whole_title(*cell, session), hidden, words)) return;
  draw_sources_table(context, rest, table_of(rows_of_sources(session.model_trace(), *cell), most_tiles), *cell);
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

PictureFit fit_of(const ViewContext& context, const HeadSourcesPicture&, const Rect& area) {
  const auto cell = cell_with_parts(context.session.model_trace(), context.session.cell());
  if (!cell) return {.cells = Cells::missing};
  const WholePartsTable table = table_of(rows_of_sources(context.session.model_trace(), *cell), most_tiles);
  const float across = static_cast<float>(table.columns.size() + 1);
  const float down = static_cast<float>(table.rows.size() + 1);
  const float tile =
      std::min((area.w - sources_names) / across,
               (area.h - title_line - 3 * words_line - names_height - one_label_line - scale_line) / down);
  if (tile < smallest_tile) return {.cells = Cells::unreadable, .pitch = tile};
  return {.cells = tile < 1.6f * smallest_tile ? Cells::readable : Cells::comfortable, .pitch = tile};
}

void draw_picture(ViewContext& context, const HeadSourcesPicture&, const Rect& area) {
  draw_head_sources_figure(context, area);
}

}  // namespace headlight
