#include "app/views/compare/check_view.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/view_header.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/tensors/whole_picture.hpp"
#include "app/views/tensors/zoom.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

constexpr float between = 40;  ///< room for − and =
constexpr float title_and_labels = 26 + 40;
constexpr float color_bar = 38;
constexpr float choices_row = 36;
constexpr float smallest_checked_picture = 150;
constexpr float good_row = 56;
constexpr float largest_cell = 112;
constexpr float lowest_row = 18;    ///< holds a number
constexpr float beside_digits = 3;  ///< in a column
constexpr float least_digit = 8;
constexpr float most_read_columns = 16;
constexpr float labels_room = 52;
constexpr float below_gap = 8;

/// A slide shows only the pictures' titles and labels.
float around_cells(const ViewContext& context) { return title_and_labels + (context.presenting ? 0 : color_bar); }

struct CellCounts {
  float rows = 0;
  float columns = 0;
};
CellCounts cells_on_screen(const Session& session, TensorId tensor) {
  const Slice slice = slice_of(session.trace(), tensor, session.selection().batch, session.selection().head);
  const auto rows = static_cast<float>(slice.rows());
  const auto columns = static_cast<float>(slice.columns());
  return shown_turned(tensor, session.setup()) ? CellCounts{columns, rows} : CellCounts{rows, columns};
}

float width_of_each(float width, int count) {
  return (width - between * static_cast<float>(count - 1)) / static_cast<float>(count);
}

/// The width of a column with room for its numbers: "−0." and the decimals that the step chooses. In the window, where
/// pointing at a number shows all its digits, three small pictures say more than two large ones.
float narrowest_column(const ViewContext& context) {
  const int least = context.reads || context.session.display().presentation.presenting ? 4 : 3;
  const int characters = std::max(least, matrix_choices(context.session).decimals.value_or(0) + 3);
  const float digit = std::max(least_digit, context.reads ? context.ui.canvas().width("0", TextStyle::code) : 0);
  return beside_digits + digit * static_cast<float>(characters);
}

/// How many pictures with numbers in their cells there are, and how many of them beside each other: theirs, ours and
/// the difference, or two of them. On a slide these are theirs and ours, below each other where they are too wide for
/// numbers side by side. In a lesson the difference is below them where that is high enough.
struct CheckGrid {
  int count = 3;
  int across = 3;

  int down() const { return (count + across - 1) / across; }
};

float height_of_each(float height, const CheckGrid& grid) {
  const auto down = static_cast<float>(grid.down());
  return (height - below_gap * (down - 1)) / down;
}

CheckGrid grid_that_fits(const ViewContext& context, float width, float height, CellCounts cells) {
  const float least = labels_room + narrowest_column(context) * std::min(cells.columns, most_read_columns);
  if (width_of_each(width, 3) >= std::max(smallest_checked_picture, least)) return {3, 3};
  const bool two_across = width_of_each(width, 2) >= least;
  constexpr CheckGrid difference_below{3, 2};
  const float rows = height_of_each(height, difference_below) - around_cells(context);
  if (context.reads && two_across && rows >= lowest_row * cells.rows) return difference_below;
  return {2, context.presenting && !two_across ? 1 : 2};
}

float width_of_each(float width, const CheckGrid& grid) { return width_of_each(width, grid.across); }

/// The height of rows if there is room: the width of columns, in a large window.
float highest_row(float width, float columns) {
  return std::clamp((width - labels_room) / columns, good_row, largest_cell);
}

void draw_choices(ViewContext& context, Rect row, TensorId tensor) {
  Session& session = context.session;
  const Setup& setup = session.setup();
  const Canvas canvas = context.ui.canvas();
  CheckMemory& memory = context.memory.get<CheckMemory>();
  int which = memory.ratio ? 1 : 0;
  constexpr std::array<std::string_view, 2> kinds{"difference", "ratio"};
  if (context.bare()) {
    const std::string head = info(tensor).has_heads() ? ", " + head_words(session.selection().head, setup) : "";
    canvas.text_in(row, fmt::format("{}{}, cell by cell", name(tensor), head), TextStyle::heading, canvas.theme().text);
    return;
  }
  if (segmented(context.ui, "kind", row.cut_right(std::min(200.0f, row.w * 0.4f)), kinds, which))
    memory.ratio = which == 1;
  row.cut_right(16);
  if (info(tensor).has_heads() && setup.sizes.heads > 1) {
    long long head = session.selection().head;
    if (stepper(context.ui, "head", row.cut_right(104), head, 0, setup.sizes.heads - 1))
      Selecting(session).select_head(head);
    canvas.text_in(row.cut_right(48), "head", TextStyle::control, canvas.theme().text2);
  }
  if (info(tensor).has_batch() && setup.sizes.batch > 1 && row.w > 320) draw_batch_choice(context, row.cut_right(196));
  canvas.text_in(row, fmt::format("{}, cell by cell", name(tensor)), TextStyle::heading, canvas.theme().text);
}

void draw_note(const Canvas& canvas, const Rect& area, std::string_view words) {
  float y = area.y + 12;
  for (std::string_view line : canvas.wrapped(words, TextStyle::body, area.w)) {
    canvas.text_in({area.x, y, area.w, 21}, line, TextStyle::body, canvas.theme().text2);
    y += 21;
  }
}

/// The colour scale of both sides: ours, widened to include theirs.
ColorScale scale_of_both(const ViewContext& context, TensorId tensor, const CheckedMatrix& matrix) {
  const Session& session = context.session;
  const ColorScale scale = color_scale_of(context, tensor, session.selection().head);
  if (session.display().heatmap(tensor).range == RangeKind::fixed) return scale;
  if (scale.multiples) return ColorScale::from_zero(std::max(matrix.most, 1e-30));
  return scale.widened(matrix.least, matrix.most);
}

}  // namespace

CheckPicturesHeight check_pictures_height(const ViewContext& context, TensorId tensor, float width) {
  const auto [rows, columns] = cells_on_screen(context.session, tensor);
  const float each = width_of_each(width, grid_that_fits(context, width, 0, {rows, columns}));
  const float around = choices_row + around_cells(context) + 8;
  return {around + good_row * rows, around + highest_row(each, columns) * rows};
}

PictureFit fit_of_check_pictures(const ViewContext& context, TensorId tensor, const Rect& area, bool one_row) {
  const auto [rows, columns] = cells_on_screen(context.session, tensor);
  const CheckGrid grid = grid_that_fits(context, area.w, area.h, {rows, columns});
  const float across = (width_of_each(area.w, grid) - labels_room) / columns;
  const float down = (height_of_each(area.h, grid) - around_cells(context)) / rows;
  const float of_all = static_cast<float>(grid.count) / 3;  // three small pictures say more than two large ones
  PictureFit fit{Cells::missing, of_all * std::min(across / 2, down)};
  if (across < narrowest_column(context) || down * rows < lowest_row) return fit;
  if (down >= lowest_row) fit.cells = grid.count == 3 ? Cells::comfortable : Cells::readable;
  else fit.cells = one_row ? Cells::readable : Cells::unreadable;
  return fit;
}

void draw_check_pictures(ViewContext& context, Rect area, const CheckFindings& findings, TensorId tensor) {
  Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  if (!context.presenting) {
    draw_choices(context, area.cut_top(28), tensor);
    area.cut_top(8);
  }
  const Tensor& off = findings.differences[index_of(tensor)];
  const TensorVerdict& verdict = *findings.on(tensor);
  if (off.empty()) {
    draw_note(canvas, area,
              fmt::format("Your {} has shape {}, ours {}: batch items and positions are swapped, so no cell has a "
                          "counterpart.",
                          verdict.yours, verdict.shape.to_string(), session.trace()[tensor].shape().to_string()));
    return;
  }
  const CheckedMatrix* const matrix = context.memory.get<CheckMemory>().study.matrix(session, findings, tensor);
  if (!matrix) {
    draw_note(canvas, area, "Comparing…");
    context.ui.request_frame_in(look_again);
    return;
  }
  const Selection& selection = session.selection();
  TensorPicture picture{.tensor = tensor,
                        .batch = selection.batch,
                        .head = selection.head,
                        .slice = without_asked(session, selection, matrix->theirs),
                        .scale = scale_of_both(context, tensor, *matrix),
                        .transposed = shown_turned(tensor, session.setup()),
                        .decimals = matrix_choices(session).decimals};
  const auto columns = static_cast<float>(picture.columns_on_screen());
  const auto rows = static_cast<float>(picture.rows_on_screen());
  const CheckGrid grid = grid_that_fits(context, area.w, area.h, {rows, columns});
  const float width = width_of_each(area.w, grid);
  const float height = std::min(height_of_each(area.h, grid) - (context.presenting ? 0 : 8),
                                highest_row(width, columns) * rows + around_cells(context));
  Zoom& zoom = zoom_for(context, View::compare, tensor, picture.transposed);
  // A slide that is too low for all rows shows only the selected one.
  Zoom of_row = zoom;
  const bool one_row = context.presenting && (height - around_cells(context)) / rows < lowest_row;
  if (one_row)
    of_row.view(ZoomAxis::rows) =
        AxisView{static_cast<double>(picture.transposed ? selection.column : selection.row), 1};
  TensorPictureOptions options{.title = "yours", .color_bar = !context.presenting, .zoom = one_row ? &of_row : &zoom};
  options.cells.paints = false;
  options.cells.of = "yours:";
  options.highest_pitch = highest_row(width, columns);
  options.widest_pitch = std::max(options.widest_pitch, options.highest_pitch);
  const auto at = [&](int n) {
    const auto column = static_cast<float>(n % grid.across), row = static_cast<float>(n / grid.across);
    return Rect{area.x + column * (width + between), area.y + row * (height + below_gap), width, height};
  };
  const Rect first = draw_tensor_picture(context, "yours", at(0), picture, options).cells;
  // Before the first picture of a row there is no room for one, and its title says the same.
  const auto sign = [&](int n, std::string_view text) {
    if (n % grid.across == 0) return;
    canvas.text_in({at(n).x - between + 2, first.y, between - 12, first.h}, text, TextStyle::title,
                   canvas.theme().text3, Align::center);
  };
  const bool ratio = context.memory.get<CheckMemory>().ratio;
  const bool shows_difference = grid.count == 3 || !context.presenting;
  if (grid.count == 3 || context.presenting) {
    picture.slice = without_asked(session, selection, matrix->ours);
    options.title = "ours";
    options.cells.of = "ours:";
    options.row_labels = options.column_labels = true;
    draw_tensor_picture(context, "ours", at(1), picture, options);
    if (shows_difference) sign(1, ratio ? "÷" : "−");
  }
  if (!shows_difference) return;
  picture.slice = without_asked(session, selection, ratio ? matrix->ratio : matrix->difference);
  picture.scale = ColorScale::symmetric(ratio ? matrix->largest_ratio : matrix->largest_off);
  options.title = ratio ? "yours ÷ ours" : verdict.agrees ? "yours − ours: rounding" : "yours − ours";
  options.cells.of = ratio ? "yours ÷ ours:" : "yours − ours:";
  if (ratio) {
    // The colours show the ratio's distance from 1.
    Slice from_one = picture.slice;
    Tensor shade = Tensor::uninitialized(Precision::float64, from_one.values.shape());
    const double* const numbers = from_one.values.data<double>();
    std::transform(numbers, numbers + shade.elements(), shade.writable<double>(), [](double r) { return r - 1; });
    from_one.values = shade;
    picture.shade = from_one;
    options.color_bar = false;
  }
  const int last = grid.count - 1;
  draw_tensor_picture(context, "difference", at(last), picture, options);
  sign(last, "=");
}

}  // namespace headlight
