#include "app/views/equation/equation_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/equation/buildup.hpp"
#include "app/views/equation/equation_parts.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "app/views/tensors/whole_picture.hpp"
#include "app/views/tensors/zoom.hpp"
#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

constexpr float usual_between = 104;
constexpr float narrow_between = 74;
constexpr float softmax_row = 26;
constexpr float title_gap = 4;
constexpr float below_labels = 4;

struct ElementwiseAreas {
  bool stacked = false;  ///< the result is below what it is made from
  float between = usual_between;
  Rect before;
  Rect after;
  Rect twin;  ///< empty where there is none
  Rect labels_left;
  LabelsAbove labels_above;
};

/// The labels of the columns, with the gap below them.
LabelsAbove above_columns(const Canvas& canvas, const TensorPicture& after, const Session& session, const Rung& rung,
                          Index columns, float width) {
  const LabelledColumns labelled{columns, width / static_cast<float>(columns), rung.gives(Concession::labels)};
  const auto [height, slanted] = labels_above(canvas, after, session, labelled);
  return {height + below_labels, slanted};
}

/// The arriving gradient is right of its result: the backward pass goes from right to left.
ElementwiseAreas side_by_side(const Canvas& canvas, Rect area, const TensorPicture& after, const Session& session,
                              const Rung& rung) {
  const auto [rows, columns] = shown_cells(session, after, rung, row_axis(after.transposed));
  const bool back = is_gradient(after.tensor);
  const bool softmax = stage_of(after.tensor).kind == StageKind::rowwise;
  const float labels_left = labels_width(canvas, after, session);
  ElementwiseAreas areas;
  // Ten columns twice need all the width that there is.
  if (rung.gives(Concession::one_row)) areas.between = narrow_between;
  const float between = areas.between;
  if (softmax && after.transposed) area.w -= softmax_row;
  const float pictures = back ? 3 : 2;
  const float outline = back ? 10 : 0;
  const float beside = between + 2 * outline + (back ? twin_gap : 0);
  float width = std::min((area.w - labels_left - beside) / pictures, widest_cell * static_cast<float>(columns));
  areas.labels_above = above_columns(canvas, after, session, rung, columns, width);
  const float around = areas.labels_above.height + title_row + (softmax ? softmax_row : 2);
  float height = std::min(highest_cell * static_cast<float>(rows), area.h - around);
  // Too large to be read, a square matrix is at least seen as a square.
  if (after.slice.rows() == after.slice.columns() && after.slice.rows() > most_read)
    width = height = std::min(width, height);
  const Point offset =
      to_the_middle(area, {area.x + labels_left + pictures * width + beside, area.y + height + around});
  areas.labels_left = {area.x + offset.x, area.y + offset.y + areas.labels_above.height, labels_left, height};
  areas.before = {areas.labels_left.right() + outline, areas.labels_left.y, width, height};
  areas.after = {areas.before.right() + between, areas.labels_left.y, width, height};
  if (!back) return areas;
  areas.twin = areas.before;
  areas.after = areas.twin.moved(width + twin_gap, 0);
  areas.before = areas.after.moved(width + between, 0);
  return areas;
}

/// The result below what it is made from, with the labels of the columns above both: for an area that is narrow and
/// high.
ElementwiseAreas below_each_other(const Canvas& canvas, const Rect& area, const TensorPicture& after,
                                  const Session& session, const Rung& rung) {
  const auto [rows, columns] = shown_cells(session, after, rung, row_axis(after.transposed));
  ElementwiseAreas areas = side_by_side(canvas, area, after, session, rung);
  areas.stacked = true;
  const float left = areas.labels_left.w;
  const float width = std::min(area.w - left, widest_cell * static_cast<float>(columns));
  areas.labels_above = above_columns(canvas, after, session, rung, columns, width);
  const float above = areas.labels_above.height;
  const float height =
      std::min(highest_cell * static_cast<float>(rows), (area.h - above - 2 * title_row) / 2 - title_gap);
  const Point offset =
      to_the_middle(area, {area.x + left + width, area.y + above + 2 * (height + title_gap + title_row)});
  areas.labels_left = {area.x + offset.x, area.y + offset.y + above, left, height};
  areas.before = {areas.labels_left.right(), areas.labels_left.y, width, height};
  areas.after = areas.before.moved(0, height + title_gap + title_row);
  return areas;
}

/// Side by side, unless the numbers can be read only below each other.
ElementwiseAreas areas_of(const Canvas& canvas, const Rect& area, const TensorPicture& after, const Session& session,
                          const Rung& rung) {
  const ElementwiseAreas usual = side_by_side(canvas, area, after, session, rung);
  const CellsAtFirst cells = cells_at_first(session, after);
  if (is_gradient(after.tensor) || cells.rows > most_read || cells.columns > most_read) return usual;
  const auto [rows, columns] = shown_cells(session, after, rung, row_axis(after.transposed));
  const HeatmapShape shape{rows, columns};
  const auto characters = [&](const Rect& r) {
    return r.w < 1 || r.h < 1 ? 0 : characters_that_fit(canvas, HeatmapLayout(r, shape, canvas.scale()));
  };
  const int needed = after.decimals.value_or(0) + 2;
  if (characters(usual.after) >= std::max(1, needed)) return usual;
  const ElementwiseAreas stacked = below_each_other(canvas, area, after, session, rung);
  return characters(stacked.after) > characters(usual.after) ? stacked : usual;
}

constexpr float operation_line = 18;
constexpr float over_arrow = 12;  ///< from the arrow to the words above it

/// The heights of the arrow and of the first of the words.
struct OperationHeights {
  float arrow;
  float words;
};

/// The middle of the cells, or beside the lit row's band where its edge would cross the words. A single row is the
/// whole picture: there the words are within it, and not over what is above.
OperationHeights operation_heights(const Rect& before, float between, const std::vector<Band>& bands,
                                   float lines_height) {
  constexpr float clearance = 6;
  const float words_height = over_arrow + lines_height;
  const auto above_arrow = [&](float arrow) { return OperationHeights{arrow, arrow - words_height}; };
  const float middle = before.y + before.h / 2;
  for (const Band& band : bands) {
    const Rect& r = band.rect;
    const bool crosses = r.x <= before.right() && r.right() >= before.right() + between;
    const bool clear = middle + clearance < r.y || middle - words_height > r.bottom();
    const bool inside = middle - words_height > r.y + clearance && middle + clearance < r.bottom();
    if (!crosses || clear || inside) continue;
    const float below = r.bottom() + clearance + words_height;
    if (below <= before.bottom() + clearance) return above_arrow(below);
    if (words_height + clearance <= r.h) return above_arrow(r.center().y + (words_height - clearance) / 2);
    const float over = r.y - 2 * clearance;
    return lines_height <= r.h ? OperationHeights{over, r.center().y - lines_height / 2 - 1} : above_arrow(over);
  }
  return above_arrow(middle);
}

/// "÷ √4", with what is added: "÷ √4 + position bias"
std::string operation_words(const Equation& equation, const Setup& setup) {
  if (equation.path) return words_of(*equation.path, setup);
  const Stage& stage = stage_of(equation.result.tensor);
  std::string words = stage.words(setup).operation;
  if (!equation.bias) return words;
  if (words == "+") return fmt::format("+ {}", info(equation.bias->tensor).symbol);  // an addition is nothing else
  return fmt::format("{}{}+ {}", words, words.empty() ? "" : " ", info(equation.bias->tensor).symbol);
}

void draw_operation(const Canvas& canvas, const Rect& before, float between, const std::vector<Band>& bands,
                    const std::string& text, bool back) {
  const Theme& theme = canvas.theme();
  const auto lines = canvas.wrapped(text, TextStyle::body_strong, between - 12);
  const auto [arrow, first] =
      operation_heights(before, between, bands, operation_line * static_cast<float>(lines.size()));
  Rect words{before.right() + 6, first, between - 12, 20};
  for (std::string_view line : lines) {
    canvas.text_in(words, line, TextStyle::body_strong, theme.text, Align::center);
    words.y += operation_line;
  }
  const Point from{before.right() + 18, arrow};
  const Point to{before.right() + between - 22, arrow};
  canvas.line(from, to, theme.outline, 1.5f);
  if (back) canvas.triangle({from.x - 2, from.y}, Pointing::left, theme.outline, 5);
  else canvas.triangle({to.x + 2, to.y}, Pointing::right, theme.outline, 5);
}

/// The same at the right end of a line, with an arrow that points down.
void draw_operation_down(const Canvas& canvas, const Rect& line, const std::string& text) {
  const Theme& theme = canvas.theme();
  canvas.text_in({line.x, line.y, line.w - 20, line.h}, text, TextStyle::body_strong, theme.text, Align::right);
  const Point to{line.right() - 7, line.center().y + 6};
  canvas.line({to.x, to.y - 14}, to, theme.outline, 1.5f);
  canvas.triangle({to.x, to.y + 2}, Pointing::down, theme.outline, 5);
}

/// An arrow that shows the direction of the softmax: along the keys.
void draw_softmax_arrow(const Canvas& canvas, const Rect& cells, bool transposed, bool has_sink) {
  const Theme& theme = canvas.theme();
  const float y = cells.bottom() + 14;
  if (transposed) {
    const float x = cells.right() + 10;
    canvas.line({x, cells.y + 4}, {x, cells.bottom() - 8}, theme.outline, 1.5f);
    canvas.triangle({x, cells.bottom() - 6}, Pointing::down, theme.outline, 5);
  } else {
    const std::string_view words = has_sink ? "with the sink, each row sums to 1" : "each row sums to 1";
    const float label = canvas.width(words, TextStyle::caption) + 12;
    const bool room = cells.w > label + 60;
    canvas.line({cells.x, y}, {cells.right() - 10 - (room ? label : 0), y}, theme.outline, 1.5f);
    canvas.triangle({cells.right() - 6 - (room ? label : 0), y}, Pointing::right, theme.outline, 5);
    if (room) canvas.text({cells.right(), y + 4}, words, TextStyle::caption, theme.text3, Align::right);
    return;
  }
  // It ends below the arrow: one lit column alone is narrower than these words.
  canvas.text({cells.right() + 14, y + 4}, has_sink ? "with the sink, each column sums to 1" : "each column sums to 1",
              TextStyle::caption, theme.text3, Align::right);
}

/// The column of the operand that a rotation turns together with this one; none for other operations.
std::optional<Index> partner_of(const TensorPicture& after, Index column, const Setup& setup) {
  const bool is_turned = stage_of(after.tensor).kind == StageKind::rotation && column < turned_features(setup);
  if (!is_turned) return std::nullopt;
  return partner(column, setup);
}

std::vector<Band> bands_of(const Theme& theme, const Heatmap& before, const Heatmap& after, const Rect& twin,
                           const TensorPicture& picture, const Focus& focus, float labels_left, float labels_above,
                           bool softmax, bool stacked) {
  if (!focus.lit) return {};
  const Index across = picture.transposed ? focus.column : focus.row;
  const Index down = picture.transposed ? focus.row : focus.column;
  const Color row_ink = theme.identity(axis_role(picture.tensor, false));
  const Color column_ink = theme.identity(axis_role(picture.tensor, true));
  std::vector<Band> bands;
  // A weight comes from its whole row of scores, not from its column.
  const bool across_before = !(softmax && picture.transposed);
  const bool down_before = !(softmax && !picture.transposed);
  const Color ink_across = picture.transposed ? column_ink : row_ink;
  Rect line = after.layout.line_across(across);
  if (stacked) {
    for (const Heatmap* heatmap : {&before, &after}) {
      Rect own = heatmap->layout.line_across(across);
      if (own.empty() || (heatmap == &before && !across_before)) continue;
      if (!is_thin(own)) own.cut_left(-labels_left);
      bands.push_back({own.outset(3), ink_across});
    }
  } else if (!line.empty()) {
    if (across_before) {
      const bool thin = is_thin(line);
      line = before.layout.line_across(across).joined(line);
      if (!twin.empty()) line = Rect{twin.x, line.y, twin.w, line.h}.joined(line);
      if (!thin) line.cut_left(-labels_left);
    }
    bands.push_back({line.outset(3), ink_across});
  }
  for (const Heatmap* heatmap : {&before, &after}) {
    if (heatmap == &before && !down_before) continue;
    Rect strip = heatmap->layout.line_down(down);
    if (strip.empty()) continue;
    const bool labelled = heatmap == &before || !stacked;
    if (labelled && !is_thin(strip)) strip.cut_top(-labels_above);
    bands.push_back({strip.outset(3), picture.transposed ? row_ink : column_ink});
  }
  return bands;
}

/// What happens to a cell of the lit row while the picture is built up; no words where nothing does.
struct Happening {
  std::string words;
  std::optional<Index> column;
};

Happening take_shares(const TensorPicture& before, TensorPicture& after, Index lit_row, double built) {
  const PartialShares shares = partial_shares(before.slice, lit_row, built);
  const Slice whole = after.slice;
  after.slice = with_numbers(whole, [&](Index row, Index column) {
    return row == lit_row ? shares.numbers[static_cast<std::size_t>(column)] : whole.value(row, column);
  });
  after.shade.reset();
  if (shares.dividing) return {fmt::format("÷ {:.3f}", shares.sum), {}};
  return {fmt::format("exp(s − max) = {:.3f}", shares.exponential), shares.key};
}

/// While the picture is built up, a row of scores becomes shares, a mask closes column by column, and other numbers go
/// from what they were to what they become.
Happening build_up(const Motion& motion, const TensorPicture& before, TensorPicture& after, Index lit_row) {
  if (motion.built() >= 1) return {};
  if (stage_of(after.tensor).kind == StageKind::rowwise) return take_shares(before, after, lit_row, motion.built());
  const Slice whole = after.slice;
  const double share = eased_out(motion.built());
  const auto closed = static_cast<Index>(motion.built() * static_cast<double>(whole.columns() + 1));
  after.slice = with_numbers(whole, [&](Index row, Index column) {
    const double from = before.slice.value(row, column);
    const double to = whole.value(row, column);
    if (std::isfinite(from) && to == -std::numeric_limits<double>::infinity()) return column < closed ? to : from;
    return std::isfinite(from) && std::isfinite(to) ? from + (to - from) * share : to;
  });
  if (!whole.hidden.empty())
    after.slice.hidden = with_numbers(Slice{whole.hidden, {}}, [&](Index row, Index column) {
                           return column < closed ? whole.hidden.at({row, column}) : 0.0;
                         }).values;
  return {};
}

}  // namespace

PictureFit fit_elementwise(const ViewContext& context, const EquationPictures& pictures,
                           const Arrangement& arrangement) {
  const Canvas canvas = context.ui.canvas();
  const TensorPicture& after = pictures.result;
  const ZoomAxis along = row_axis(after.transposed);
  const Rect cells = areas_of(canvas, arrangement.picture, after, context.session, arrangement.rung).after;
  PictureFit fit;
  const Zoom first = first_zoom(context.session, after.tensor, along);
  fit.add(canvas, zoomed_heatmap(after, cells, canvas.scale(), shown_zoom(first, arrangement.rung, along, 0)));
  return fit;
}

void draw_elementwise(ViewContext& context, const Equation& equation, EquationPictures pictures,
                      const Arrangement& arrangement) {
  const Rect& area = arrangement.picture;
  const Rung& rung = arrangement.rung;
  const Canvas canvas = context.ui.canvas();
  const Setup& setup = context.session.setup();
  const TensorPicture& before = pictures.before;
  TensorPicture& after = pictures.result;
  const ElementwiseAreas areas = areas_of(canvas, area, after, context.session, rung);
  if (areas.before.w < 8 || areas.before.h < 8) return;
  Zoom& kept = zoom_for(context, View::pipeline, after.tensor, after.transposed);
  const TensorId twin = equation.twin ? equation.twin->tensor : after.tensor;
  const Focus focus = on_gradient(focus_of(context, {before.tensor, after.tensor, twin}, after.tensor), equation);
  const Zoom zoom = shown_zoom(kept, rung, row_axis(after.transposed), focus.row);
  const Happening happening = build_up(context.memory.get<Motion>(), before, after, focus.row);
  const PlacedPicture left = placed(canvas, before, zoomed_heatmap(before, areas.before, canvas.scale(), zoom));
  const PlacedPicture right = placed(canvas, after, zoomed_heatmap(after, areas.after, canvas.scale(), zoom));
  const bool softmax = stage_of(equation.result.tensor).kind == StageKind::rowwise;
  const Rect& leftmost = equation.twin ? areas.twin : areas.before;
  auto bands = bands_of(
      canvas.theme(), left.heatmap, right.heatmap, areas.twin, after, focus, leftmost.x - areas.labels_left.x - 4,
      areas.labels_above.slanted ? 0 : areas.labels_above.height - below_labels, softmax, areas.stacked);
  std::optional<Index> other;
  if (focus.lit) other = partner_of(after, focus.column, setup);
  if (other) {
    const Rect line = after.transposed ? left.layout().line_across(*other) : left.layout().line_down(*other);
    if (!line.empty()) bands.push_back({line.outset(3), canvas.theme().identity(axis_role(after.tensor, true))});
  }
  draw_tints(canvas, bands);
  const auto light = [&](const TensorPicture& picture) {
    if (!focus.lit) return PictureLight{};
    // A weight depends on its whole row of scores; any other result depends on the one cell at the same place.
    PictureLight lit{focus.row, focus.column, GridCell{focus.row, focus.column}, focused(context)};
    if (softmax && picture.tensor == before.tensor) lit.column.reset();
    return lit;
  };
  // Both have the same rows and columns, so the labels are those of the result.
  for (const PlacedPicture* each : {&left, &right}) {
    const Rect& cells = each->layout().area();
    if (each == &left || !areas.stacked)
      draw_labels(context, after, each->layout(), light(after),
                  strip_above(cells, areas.labels_above.height - below_labels, below_labels));
    if (each == &left || areas.stacked)
      draw_labels(context, after, each->layout(), light(after),
                  {{areas.labels_left.x, cells.y, areas.labels_left.w, cells.h}, false});
  }
  const Item on_before = draw_cells(context, "before", left, light(before), {.ring = false});
  const Item on_after = draw_cells(context, "after", right, light(after), {.ring = false});
  if (!rung.gives(Concession::one_row)) {
    zoom_with_mouse(context, on_before, left, kept);
    zoom_with_mouse(context, on_after, right, kept);
  }
  draw_outlines(context, bands);
  draw_ring(context, left.layout(), light(before));
  if (other) draw_ring(context, left.layout(), {focus.row, *other, GridCell{focus.row, *other}, focused(context)});
  draw_ring(context, right.layout(), light(after));
  if (focus.lit && !happening.words.empty())
    draw_happening(canvas, right.layout().rect_of(GridCell{focus.row, happening.column.value_or(focus.column)}),
                   happening.words);
  const std::string operation = operation_words(equation, setup);
  if (areas.stacked) {
    const Rect title{areas.before.x, areas.before.bottom() + title_gap, areas.before.w, title_row};
    const float wide = canvas.width(operation, TextStyle::body_strong) + 30;
    const float name = canvas.width(symbol_of(named_after(before.tensor, setup)).base, TextStyle::heading);
    draw_operation_down(canvas, title, name + 8 + wide <= title.w ? operation : std::string());
    draw_operand_title(canvas, {title.x, title.y, title.w - wide, title.h}, left, setup);
    draw_operand_title(canvas, title.moved(0, areas.after.y - areas.before.y), right, setup);
    return;
  }
  draw_operation(canvas, equation.twin ? areas.after : areas.before, areas.between, bands, operation,
                 equation.twin.has_value());
  const bool has_sink = after.tensor == TensorId::weights && setup.attention.sink != Sink::none;
  if (softmax) draw_softmax_arrow(canvas, areas.after, after.transposed, has_sink);
  const float below = areas.before.bottom() + (softmax ? softmax_row : equation.twin ? 10 : 2);
  const float least = left.layout().reduced() ? 280.0f : 170.0f;
  const float left_width = areas.before.w + areas.between - 12;  // of the title that has the arrow on its right
  const auto title_width = [&](const Rect& cells, float most, bool is_left) {
    return std::max(cells.w, std::min(most, is_left ? left_width : area.right() - cells.x));
  };
  const float before_width = title_width(areas.before, least, !equation.twin);
  const float after_width = title_width(areas.after, 200, equation.twin.has_value());
  if (pictures.twin) {
    const TensorPicture& value = *pictures.twin;
    draw_twin(context, placed(canvas, value, zoomed_heatmap(value, areas.twin, canvas.scale(), zoom)), light(after),
              below - areas.twin.bottom());
    for (const Rect* cells : {&areas.before, &areas.after}) draw_outline(canvas, *cells, after.tensor);
  }
  draw_operand_title(canvas, {areas.before.x, below, before_width, title_row}, left, setup);
  draw_operand_title(canvas, {areas.after.x, below, after_width, title_row}, right, setup);
}

namespace {

constexpr float least_with_bar = 200;
constexpr float bar_below = 38;
constexpr float before_labels = 3;  ///< an outline that crosses none of them

TensorPictureOptions alone_options(float height) {
  TensorPictureOptions options;
  options.color_bar = height > least_with_bar;
  options.widest_pitch = widest_cell;
  options.highest_pitch = highest_cell;
  return options;
}

}  // namespace

PictureFit fit_alone(const ViewContext& context, const EquationPictures& pictures, const Rect& area) {
  const Canvas canvas = context.ui.canvas();
  const TensorPicture& picture = pictures.result;
  Rect rest = area;
  if (pictures.twin) rest.cut_right((area.w + twin_gap) / 2);
  rest.cut_top(title_row);
  PictureFit fit;
  const Zoom first = first_zoom(context.session, picture.tensor, row_axis(picture.transposed));
  const Rect cells = cells_of_picture(context, rest, picture, alone_options(rest.h));
  fit.add(canvas, zoomed_heatmap(picture, cells, canvas.scale(), first));
  return fit;
}

void draw_alone(ViewContext& context, const EquationPictures& pictures, const Rect& area) {
  const Canvas canvas = context.ui.canvas();
  const Setup& setup = context.session.setup();
  const TensorPicture& picture = pictures.result;
  Rect rest = area;
  if (pictures.twin) {
    EquationPictures value;
    value.result = *pictures.twin;
    context.ui.push_id("twin");
    draw_alone(context, value, rest.cut_right((area.w - twin_gap) / 2));
    context.ui.pop_id();
    rest.cut_right(twin_gap);
  }
  Rect title = rest.cut_top(title_row);
  Zoom& zoom = zoom_for(context, View::pipeline, picture.tensor, picture.transposed);
  TensorPictureOptions options = alone_options(rest.h);
  options.zoom = &zoom;
  options.power = true;
  const Rect planned = cells_of_picture(context, rest, picture, options);
  const Point offset = to_the_middle(rest, {planned.right(), planned.bottom() + (options.color_bar ? bar_below : 0)});
  rest.cut_left(offset.x);
  rest.cut_top(offset.y);
  title = title.moved(0, offset.y);
  const auto [cells, reduced, power] = draw_tensor_picture(context, "alone", rest, picture, options);
  const float left = cells.x;
  if (pictures.twin) draw_outline(canvas, cells, picture.tensor, before_labels);
  draw_operand_title(canvas, {left, title.y, std::max(cells.w, std::min(170.0f, rest.right() - left)), title.h},
                     picture, setup, {reduced, power});
}

}  // namespace headlight
