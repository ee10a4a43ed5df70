#include "app/views/equation/equation_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
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
#include "app/views/tensors/zoom.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr float widest_story = 300;
constexpr float roomy_width = 76;  ///< every digit of a number in the usual type
constexpr float roomy_height = 42;
constexpr float low_row = 20;
constexpr float narrowest_bias = 44;
constexpr float least_width = 28;  ///< three digits
constexpr float least_height = 17;
constexpr float widest_corridor = 84;
constexpr float beside_corridor = 4;  ///< of the labels in it
constexpr float bias_gap = 26;
constexpr float above_left = 4;  ///< between the left operand and its labels
constexpr float straight_labels = 20;

/// A place in the product: a row of the left operand, a column of the right one, a place on the axis summed over.
struct Crossing {
  std::optional<Index> row;
  std::optional<Index> column;
  std::optional<Index> inner;
};

struct ProductAreas {
  Rect story;
  Rect left;
  Rect right;
  Rect result;
  Rect bias;        ///< empty if there is no bias
  Rect twin;        ///< empty if there is none
  Rect corridor_x;  ///< labels of the columns: between right operand and result, and above the left operand
  Rect corridor_y;  ///< labels of the rows: between left operand and result, and beside the right operand
  Rect left_title;
  Rect right_title;
  Rect result_title;
  float left_labels = 0;        ///< the height of the labels above the left operand
  bool labels_slanted = false;  ///< those between right operand and result
};

/// Turns the focused cell's row and column into places of the product as it is on screen, perhaps transposed.
Crossing crossing_of(const Focus& focus, const EquationPictures& pictures) {
  if (!focus.lit) return {};
  using Place = std::pair<std::optional<Index>, std::optional<Index>>;
  const auto on_screen = [&](const TensorPicture& p) -> Place {
    const Index row = focus.row - p.origin.row;
    if (row < 0) return {};  // a past position, which has no row here
    return p.transposed ? Place{focus.column, row} : Place{row, focus.column};
  };
  if (focus.tensor == pictures.left.tensor) {
    const auto [row, column] = on_screen(pictures.left);
    return {row, {}, column};
  }
  if (focus.tensor == pictures.right.tensor) {
    const auto [row, column] = on_screen(pictures.right);
    return {{}, column, row};
  }
  if (pictures.bias && focus.tensor == pictures.bias->tensor)
    return pictures.bias->transposed ? Crossing{focus.column, {}, {}} : Crossing{{}, focus.column, {}};
  const auto [row, column] = on_screen(pictures.result);
  return {row, column, {}};
}

PictureLight light_on(const TensorPicture& picture, std::optional<Index> row, std::optional<Index> column,
                      const Focus& focus, bool quiet) {
  PictureLight light;
  light.row = picture.transposed ? column : row;
  light.column = picture.transposed ? row : column;
  if (focus.lit && focus.tensor == picture.tensor && focus.row >= picture.origin.row)
    light.ring = GridCell{focus.row - picture.origin.row, focus.column - picture.origin.column};
  light.quiet = quiet;
  return light;
}

/// Moves the whole picture into the middle of its area.
void centre(ProductAreas& areas, const Rect& area) {
  const float titles = std::max({areas.result.right(), areas.right_title.right(), areas.result_title.right()});
  const float beside =
      std::max(areas.bias.empty() ? 0 : areas.bias.right(), areas.twin.empty() ? 0 : areas.twin.right() + 8);
  const float right = std::max(titles, beside);
  const float bottom =
      areas.bias.empty() ? areas.left_title.bottom() : std::max(areas.left_title.bottom(), areas.bias.bottom());
  const Point offset = to_the_middle(area, {right, bottom});
  for (Rect* r : {&areas.story, &areas.left, &areas.right, &areas.result, &areas.bias, &areas.twin, &areas.corridor_x,
                  &areas.corridor_y, &areas.left_title, &areas.right_title, &areas.result_title})
    *r = r->moved(offset.x, offset.y);
}

/// Makes the result a square of the smaller of its sides: too large to be read, it is at least seen as it is.
void square(ProductAreas& areas) {
  const float side = std::min(areas.result.w, areas.result.h);
  areas.right.w = areas.result.w = side;
  areas.left.h = areas.result.h = side;
  areas.corridor_y.h = areas.result.bottom() - areas.corridor_y.y;
  areas.left_title.y = areas.result_title.y = areas.result.bottom();
  if (!areas.twin.empty()) areas.twin = areas.result.moved(side + twin_gap, 0);
  if (areas.bias.empty()) return;
  if (areas.bias.y > areas.result.y)
    areas.bias = {areas.result.x, areas.result_title.bottom() + bias_gap - 8, side, areas.bias.h};
  else areas.bias = {areas.result.right() + bias_gap, areas.result.y, areas.bias.w, side};
}

/// A bias beside the result is as wide as one more column of the product, and no narrower than its numbers need.
float width_of_bias(float across, Index columns) {
  return std::clamp((across - bias_gap) / static_cast<float>(columns + 1), narrowest_bias, roomy_width);
}

/// `words_height` is how high the words are in a quadrant of a width, where they are in it.
ProductAreas areas_of(const ViewContext& context, const Arrangement& arrangement, const EquationPictures& pictures,
                      const std::function<float(float width)>& words_height) {
  const Rect& area = arrangement.picture;
  const Rung& rung = arrangement.rung;
  const bool has_words = arrangement.at == WordsAt::quadrant;
  const Canvas canvas = context.ui.canvas();
  const Session& session = context.session;
  const float of_result = labels_width(canvas, pictures.result, session, widest_corridor) + 8;
  const float of_right = labels_width(canvas, pictures.right, session, widest_corridor) + beside_corridor;
  const float wide = std::clamp(std::max(of_result, of_right), 52.0f, widest_corridor);
  const bool twin = pictures.twin.has_value();
  const float outlines = twin ? 8 : 0;  // of gradients and values, around their cells
  const bool bias_below = pictures.bias && !pictures.bias->transposed;
  const bool bias_beside = pictures.bias && pictures.bias->transposed;
  const Index inner = pictures.left.columns_on_screen();
  const float bias_width = bias_beside ? width_of_bias(area.w - wide, inner + pictures.result.columns_on_screen()) : 0;
  const float across = area.w - wide - (bias_beside ? bias_width + bias_gap : 0) - (twin ? twin_gap + 8 : 0);
  const CellsAtFirst cells_of_result = shown_cells(session, pictures.result, rung, ZoomAxis::rows);
  const Index columns = cells_of_result.columns * (twin ? 2 : 1);
  const Index rows = cells_of_result.rows;
  Shares x = shared(inner, columns, across, widest_cell, least_width);
  // The story's quadrant is as large as the story needs, within what readable cells of the result leave (45 % or more).
  const auto quadrant = [](const Shares& cells, float wanted, float length, Index count, float readable) {
    const float left_over = length - std::min(cells.second, readable * static_cast<float>(count));
    return std::max(cells.first, std::min(wanted, std::max(left_over, 0.45f * length)));
  };
  const float quadrant_width = quadrant(x, has_words ? widest_story : 0, across, columns, roomy_width);
  x.second = std::min(x.second, across - quadrant_width);
  const auto pitch = [](float length, Index count) { return length / static_cast<float>(std::max<Index>(1, count)); };
  const LabelsAbove between =
      labels_above(canvas, pictures.result, session,
                   {cells_of_result.columns, pitch(x.second, columns), rung.gives(Concession::labels)});
  const LabelsAbove over_left = labels_above(canvas, pictures.left, session, {inner, pitch(x.first, inner), true});
  const float high = between.height + 6 + 2 * outlines;
  const float left_labels = over_left.slanted ? over_left.height : straight_labels;
  const float below_story = left_labels + above_left + 6;
  const float down = area.h - high - 2 * title_row - 2 * outlines - (bias_below ? 44 + bias_gap : 0);
  Shares y = shared(inner, rows, down, highest_cell, least_height);
  const float words = has_words ? words_height(quadrant_width) - title_row + below_story + 8 - high : 0;
  const float quadrant_height = quadrant(y, words, down, rows, rung.gives(Concession::rows) ? low_row : roomy_height);
  y.second = std::min(y.second, down - quadrant_height);
  if (twin) x.second /= 2;

  ProductAreas areas;
  areas.left_labels = left_labels;
  areas.labels_slanted = between.slanted;
  const float left = area.x + quadrant_width - x.first;
  const float top = area.y + title_row + outlines + quadrant_height - y.first;
  const float right_x = area.x + quadrant_width + wide;
  const float result_y = area.y + title_row + outlines + quadrant_height + high;
  areas.left = {left, result_y, x.first, y.second};
  areas.right = {right_x, top, x.second, y.first};
  areas.result = {right_x, result_y, x.second, y.second};
  areas.corridor_x = {area.x, result_y - high, area.w, high};
  areas.corridor_y = {right_x - wide, top, wide, result_y + y.second - top};
  areas.right_title = {right_x, top - title_row - outlines,
                       std::max(x.second, std::min(180.0f, area.right() - right_x)), title_row};
  areas.left_title = {left, areas.left.bottom(), x.first, title_row};
  areas.result_title = {right_x, areas.left.bottom(), areas.right_title.w, title_row};
  if (constexpr float least = 150; x.first < least) {
    // It begins left of a narrow operand, but not beside the picture, where the story may be.
    const float begin = std::max(area.x, right_x - wide - least);
    areas.left_title = {begin, areas.left.bottom(), std::min(least, right_x - 12 - begin), title_row};
  }
  if (twin) {
    areas.twin = areas.result.moved(x.second + twin_gap, 0);
    for (Rect* title : {&areas.left_title, &areas.result_title}) title->y += outlines;
    areas.result_title.w = x.second + twin_gap - 10;
  }
  if (bias_below)
    areas.bias = {right_x, areas.result_title.bottom() + bias_gap - 8, x.second, std::min(44.0f, y.second)};
  if (bias_beside) areas.bias = {areas.result.right() + bias_gap, result_y, bias_width, y.second};
  // The labels of the left operand are above it, so the story keeps clear of them.
  areas.story = {area.x, area.y, quadrant_width, title_row + quadrant_height + high - below_story - 8};
  const Index size = pictures.result.rows_on_screen();
  if (size == pictures.result.columns_on_screen() && size > most_read) square(areas);
  centre(areas, area);
  return areas;
}

constexpr ZoomAxes left_axes{ZoomAxis::inner, ZoomAxis::rows};
constexpr ZoomAxes right_axes{ZoomAxis::columns, ZoomAxis::inner};
constexpr ZoomAxes result_axes{ZoomAxis::columns, ZoomAxis::rows};

struct Placed {
  PlacedPicture left;
  PlacedPicture right;
  PlacedPicture result;
};

/// The three pictures have the smallest of their gaps, so that a row is equally high in left operand and result.
Placed placed_with_one_gap(const Canvas& canvas, const EquationPictures& pictures, const ProductAreas& areas,
                           const Zoom& zoom) {
  Heatmap left = zoomed_heatmap(pictures.left, areas.left, canvas.scale(), zoom, left_axes);
  Heatmap right = zoomed_heatmap(pictures.right, areas.right, canvas.scale(), zoom, right_axes);
  Heatmap result = zoomed_heatmap(pictures.result, areas.result, canvas.scale(), zoom, result_axes);
  const float gap = std::min({left.layout.gap(), right.layout.gap(), result.layout.gap()});
  for (HeatmapLayout* layout : {&left.layout, &right.layout, &result.layout})
    *layout = {layout->area(), layout->shape(), layout->scale(), layout->across().view, layout->down().view, gap};
  return {placed(canvas, pictures.left, left, left_axes), placed(canvas, pictures.right, right, right_axes),
          placed(canvas, pictures.result, result, result_axes)};
}

std::vector<Band> bands_of(const Theme& theme, const Placed& placed, const Rect& twin, const Crossing& at,
                           bool labels_slanted) {
  const bool turned = placed.result.picture.transposed;
  std::vector<Band> bands;
  /// One band from the operand through the label to the result; two bands where it would be too thin for the label, or
  /// would be crossed by it.
  const auto add = [&](const Rect& operand, const Rect& result, Role role, bool crossed) {
    if (result.empty()) return;
    const Color identity = theme.identity(role);
    if (!is_thin(result) && !crossed) {
      bands.push_back({operand.joined(result).outset(3), identity});
    } else {
      bands.push_back({operand.outset(3), identity});
      bands.push_back({result.outset(3), identity});
    }
  };
  if (at.row) {
    Rect line = placed.result.layout().line_across(*at.row);
    if (!twin.empty() && !line.empty()) line.w = twin.right() - line.x;
    add(placed.left.layout().line_across(*at.row), line, axis_role(placed.result.picture.tensor, turned), false);
  }
  if (at.column)
    add(placed.right.layout().line_down(*at.column), placed.result.layout().line_down(*at.column),
        axis_role(placed.result.picture.tensor, !turned), labels_slanted);
  if (at.inner) {
    for (const Rect& line : {placed.left.layout().line_down(*at.inner), placed.right.layout().line_across(*at.inner)})
      if (!line.empty()) bands.push_back({line.outset(3), theme.outline});
  }
  return bands;
}

struct ProductLights {
  PictureLight left;
  PictureLight right;
  PictureLight result;
};

void draw_labels_of_product(ViewContext& context, const ProductAreas& areas, const Placed& placed,
                            const ProductLights& lights) {
  const auto& [left, right, result] = placed;
  const Rect& wide = areas.corridor_x;
  const Rect& high = areas.corridor_y;
  draw_labels(context, result.picture, result.layout(), lights.result,
              {{areas.result.x, wide.y + 2, areas.result.w, wide.h - 6}});
  draw_labels(context, result.picture, result.layout(), lights.result,
              {{high.x + 2, areas.result.y, high.w - 6, areas.result.h}, false});
  const bool tokens = !axis_label(right.picture.tensor, right.picture.transposed, 0, context.session).token.empty();
  const float widest = high.w - beside_corridor;
  const float width =
      tokens ? widest
             : std::min(widest, std::max(40.0f, labels_width(context.ui.canvas(), right.picture, context.session)));
  const float clear = areas.twin.empty() ? 4 : 14;  // of an outline
  draw_labels(context, right.picture, right.layout(), lights.right,
              {.area = {areas.right.x - width - clear, areas.right.y, width, areas.right.h},
               .across = false,
               .align = Align::right});
  LabelStrip over_left = strip_above(areas.left, areas.left_labels, above_left);
  over_left.beyond = high.w - labels_width(context.ui.canvas(), right.picture, context.session, width) - clear;
  draw_labels(context, left.picture, left.layout(), lights.left, over_left);
}

void draw_bias(ViewContext& context, const ProductAreas& areas, const EquationPictures& pictures, const Placed& placed,
               const Crossing& at, const Focus& focus, bool quiet) {
  const Canvas canvas = context.ui.canvas();
  const TensorPicture& bias = *pictures.bias;
  // A bias is one row (or column) beside the result. It zooms and moves with the result along its length only.
  const AxisView whole{0, 1};
  const HeatmapLayout& beside = placed.result.layout();
  const Heatmap heatmap{
      bias.slice, bias.scale,
      HeatmapLayout(areas.bias, {bias.slice.rows(), bias.slice.columns(), bias.transposed}, canvas.scale(),
                    bias.transposed ? whole : beside.across().view, bias.transposed ? beside.down().view : whole),
      bias.reduction};
  const Symbol symbol = symbol_of(bias.tensor);
  const std::vector<Run> title{
      {"+ ", TextStyle::heading, canvas.theme().text2},
      {symbol.base, TextStyle::heading, canvas.theme().identity(info(bias.tensor).role)},
      {symbol.subscript, TextStyle::heading, canvas.theme().identity(info(bias.tensor).role), Script::sub}};
  if (bias.transposed) canvas.rich({areas.bias.center().x, areas.bias.y - 10}, title, Align::center);
  else canvas.rich({areas.bias.x - 10, canvas.centered_baseline(areas.bias, TextStyle::heading)}, title, Align::right);
  PictureLight light =
      light_on(bias, bias.transposed ? at.row : std::nullopt, bias.transposed ? std::nullopt : at.column, focus, quiet);
  light.row.reset();
  light.column = bias.transposed ? at.row : at.column;
  draw_cells(context, "bias", bias, heatmap, light);
}

/// The cell of a picture at a place on the screen.
GridCell grid_cell_of(const TensorPicture& picture, Index row, Index column) {
  return picture.transposed ? GridCell{column, row} : GridCell{row, column};
}

/// While the product is built up, the lit cell of the result holds the sum up to now, and the term that is being added
/// is lit.
std::optional<PartialSum> add_up(const Motion& motion, EquationPictures& pictures, Crossing& at) {
  if (motion.built() >= 1 || !at.row || !at.column || at.inner) return std::nullopt;
  const PartialSum sum = partial_sum(pictures.left, pictures.right, *at.row, *at.column, motion.built());
  at.inner = sum.term;
  Slice& result = pictures.result.slice;
  const GridCell summed = grid_cell_of(pictures.result, *at.row, *at.column);
  result = with_numbers(result, [&](Index row, Index column) {
    return GridCell{row, column} == summed ? sum.sum : result.value(row, column);
  });
  return sum;
}

/// "2.89 × 2.96"
std::string words_of(const PartialSum& sum) {
  const double largest = std::max(std::abs(sum.left), std::abs(sum.right));
  const NumberFormat format = format_that_fits(largest, std::min(sum.left, sum.right) < 0, 6, 3);
  return fmt::format("{} × {}", format(sum.left), format(sum.right));
}

/// The row of the selected cell, for a stage that shows one row while a cell without a row is pointed at.
Index row_on_slide(const ViewContext& context, const EquationPictures& pictures) {
  const Session& session = context.session;
  const Selection selection = on_tensor(session.selection(), pictures.result.tensor, session.setup());
  return pictures.result.transposed ? selection.column : selection.row;
}

}  // namespace

PictureFit fit_product(const ViewContext& context, const EquationPictures& pictures, Arrangement& arrangement,
                       const Story& story) {
  const Canvas canvas = context.ui.canvas();
  const TensorPicture& result = pictures.result;
  const ProductAreas areas = areas_of(context, arrangement, pictures, [&](float width) {
    return story_height(canvas, width, story, arrangement.form, arrangement.rung.type());
  });
  if (arrangement.at == WordsAt::quadrant) arrangement.story = areas.story;
  const Zoom zoom = shown_zoom(first_zoom(context.session, result.tensor, row_axis(result.transposed)),
                               arrangement.rung, ZoomAxis::rows, 0);
  const auto shown = [&](const TensorPicture& picture, const Rect& cells, ZoomAxes axes) {
    return zoomed_heatmap(picture, cells, canvas.scale(), zoom, axes);
  };
  PictureFit fit;
  fit.add(canvas, shown(pictures.left, areas.left, left_axes));
  fit.add(canvas, shown(pictures.right, areas.right, right_axes));
  fit.add(canvas, shown(result, areas.result, result_axes));
  const std::string title(info(named_after(result.tensor, context.session.setup())).symbol);
  if (areas.result_title.x + canvas.width(title, TextStyle::heading) > arrangement.picture.right())
    fit.cells = Cells::missing;
  return fit;
}

void draw_product(ViewContext& context, const Equation& equation, EquationPictures pictures,
                  const Arrangement& arrangement) {
  const Rung& rung = arrangement.rung;
  const Canvas canvas = context.ui.canvas();
  const Setup& setup = context.session.setup();
  const ProductAreas areas = areas_of(context, arrangement, pictures, [&](float) { return arrangement.story.h; });
  if (areas.result.w < 8 || areas.result.h < 8) return;
  const TensorId bias = equation.bias ? equation.bias->tensor : equation.result.tensor;
  const TensorId twin = equation.twin ? equation.twin->tensor : equation.result.tensor;
  const Focus focus =
      on_gradient(focus_of(context, {equation.left.tensor, equation.right.tensor, equation.result.tensor, bias, twin},
                           equation.result.tensor),
                  equation);
  Crossing at = crossing_of(focus, pictures);
  if (rung.gives(Concession::one_row) && !at.row) at.row = row_on_slide(context, pictures);
  const auto sum = add_up(context.memory.get<Motion>(), pictures, at);
  Zoom& kept = zoom_for(context, View::pipeline, equation.result.tensor, equation.result.transposed);
  const Zoom zoom = shown_zoom(kept, rung, ZoomAxis::rows, at.row.value_or(0));
  const Placed shown = placed_with_one_gap(canvas, pictures, areas, zoom);

  const bool quiet = focused(context);
  ProductLights lights{light_on(pictures.left, at.row, at.inner, focus, quiet),
                       light_on(pictures.right, at.inner, at.column, focus, quiet),
                       light_on(pictures.result, at.row, at.column, focus, quiet)};
  const auto bands = bands_of(canvas.theme(), shown, areas.twin, at, areas.labels_slanted);

  draw_tints(canvas, bands);
  draw_labels_of_product(context, areas, shown, lights);
  draw_operand_title(canvas, areas.left_title, shown.left, setup);
  draw_operand_title(canvas, areas.right_title, shown.right, setup);
  draw_operand_title(canvas, areas.result_title, shown.result, setup);

  if (sum) {
    lights.left.ring = grid_cell_of(pictures.left, *at.row, *at.inner);
    lights.right.ring = grid_cell_of(pictures.right, *at.inner, *at.column);
  }
  const Item on_left = draw_cells(context, "left", shown.left, lights.left, {.ring = false});
  const Item on_right = draw_cells(context, "right", shown.right, lights.right, {.ring = false});
  const Item on_result = draw_cells(context, "result", shown.result, lights.result, {.ring = false});
  if (pictures.bias) draw_bias(context, areas, pictures, shown, at, focus, quiet);
  if (pictures.twin) {
    Heatmap value = shown.result.heatmap;
    value.slice = pictures.twin->slice;
    value.scale = pictures.twin->scale;
    value.shade = pictures.twin->shade;
    value.layout = shown.result.layout().over(areas.twin);
    PictureLight lit = light_on(*pictures.twin, at.row, at.column, focus, quiet);
    if (at.row && at.column) lit.ring = grid_cell_of(*pictures.twin, *at.row, *at.column);
    draw_twin(context, placed(canvas, *pictures.twin, value), lit, 8);
    for (const PlacedPicture* each : {&shown.left, &shown.right, &shown.result})
      if (is_gradient(each->picture.tensor)) draw_outline(canvas, each->layout().area(), each->picture.tensor);
  }
  draw_outlines(context, bands);
  draw_ring(context, shown.left.layout(), lights.left);
  draw_ring(context, shown.right.layout(), lights.right);
  draw_ring(context, shown.result.layout(), lights.result);
  if (sum) draw_happening(canvas, shown.result.layout().rect_of(*lights.result.ring), words_of(*sum));

  if (rung.gives(Concession::one_row)) return;
  zoom_with_mouse(context, on_left, shown.left, kept);
  zoom_with_mouse(context, on_right, shown.right, kept);
  zoom_with_mouse(context, on_result, shown.result, kept);
}

}  // namespace headlight
