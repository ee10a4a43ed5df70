#include "app/views/check/check_pictures.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/frame/view_header.hpp"
#include "app/views/frame/view_memory.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/tensors/zoom.hpp"

namespace headlight {
namespace {

constexpr float between = 40;  ///< room for − and =
constexpr float picture_around = 26 + 38 + 40;
constexpr float smallest_picture = 150;

void draw_choices(ViewContext& context, Rect row, TensorId tensor) {
  Session& session = context.session;
  const Setup& setup = session.setup();
  const Canvas canvas = context.ui.canvas();
  CheckMemory& memory = context.memory.compare.check;
  int which = memory.ratio ? 1 : 0;
  constexpr std::array<std::string_view, 2> kinds{"difference", "ratio"};
  if (segmented(context.ui, "kind", row.cut_right(std::min(200.0f, row.w * 0.4f)), kinds, which))
    memory.ratio = which == 1;
  row.cut_right(16);
  if (info(tensor).has_heads() && setup.sizes.heads > 1) {
    long long head = session.selection().head;
    if (stepper(context.ui, "head", row.cut_right(104), head, 0, setup.sizes.heads - 1)) session.select_head(head);
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

/// The colours of both sides: as everywhere, but wide enough for theirs too.
ColorScale scale_of_both(const ViewContext& context, TensorId tensor, const CheckedMatrix& matrix) {
  const Session& session = context.session;
  ColorScale scale = color_scale_of(session, context.memory.statistics, tensor, session.selection().head);
  if (session.display().heatmap(tensor).range == RangeKind::fixed) return scale;
  if (scale.multiples) return ColorScale::from_zero(std::max(matrix.largest, 1e-30));
  if (scale.diverging() && scale.lo == -scale.hi) return ColorScale::symmetric(std::max(scale.hi, matrix.largest));
  scale.hi = std::max(scale.hi, matrix.largest);
  return scale;
}

}  // namespace

void draw_check_pictures(ViewContext& context, Rect area, const CheckFindings& findings, TensorId tensor) {
  Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  draw_choices(context, area.cut_top(28), tensor);
  area.cut_top(8);
  const Tensor& off = findings.differences[static_cast<std::size_t>(tensor)];
  const TensorVerdict& verdict = *findings.on(tensor);
  if (off.empty()) {
    draw_note(
        canvas, area,
        fmt::format("Your {} has shape {}, ours {}: batch items and positions have changed places, so that no cell "
                    "stands beside another.",
                    verdict.yours, verdict.shape.to_string(), session.trace()[tensor].shape().to_string()));
    return;
  }
  const CheckedMatrix* const matrix = context.memory.compare.check.study.matrix(session, findings, tensor);
  if (!matrix) {
    draw_note(canvas, area, "Comparing…");
    context.ui.request_frame_in(look_again);
    return;
  }
  const Selection& place = session.selection();
  TensorPicture picture{.tensor = tensor,
                        .batch = place.batch,
                        .head = place.head,
                        .slice = matrix->theirs,
                        .scale = scale_of_both(context, tensor, *matrix),
                        .transposed = shown_turned(tensor, session.setup())};
  const bool across = (area.w - 2 * between) / 3 >= smallest_picture;
  const float width = across ? (area.w - 2 * between) / 3 : (area.w - between) / 2;
  const auto rows = static_cast<float>(picture.rows_on_screen());
  const float height = std::min(area.h - 8, 56 * rows + picture_around);
  Zoom& zoom = context.memory.zoom(View::compare);
  zoom.keep_for(tensor, picture.transposed);
  TensorPictureOptions options{.title = "yours", .color_bar = true, .zoom = &zoom};
  options.cells.paints = false;
  options.cells.of = "yours:";
  const auto at = [&](int n) {
    return Rect{area.x + static_cast<float>(n) * (width + between), area.y, width, height};
  };
  const Rect first = draw_tensor_picture(context, "yours", at(0), picture, options).cells;
  const auto sign = [&](int n, std::string_view text) {
    canvas.text_in({at(n).x - between + 2, first.y, between - 12, first.h}, text, TextStyle::title,
                   canvas.theme().text3, Align::center);
  };
  const bool ratio = context.memory.compare.check.ratio;
  if (across) {
    picture.slice = matrix->ours;
    options.title = "ours";
    options.cells.of = "ours:";
    options.row_labels = options.column_labels = true;
    draw_tensor_picture(context, "ours", at(1), picture, options);
    sign(1, ratio ? "÷" : "−");
  }
  picture.slice = ratio ? matrix->ratio : matrix->difference;
  picture.scale = ColorScale::symmetric(ratio ? matrix->largest_ratio : matrix->largest_off);
  options.title = ratio ? "yours ÷ ours" : verdict.agrees ? "yours − ours: rounding" : "yours − ours";
  options.cells.of = ratio ? "yours ÷ ours:" : "yours − ours:";
  if (ratio) {
    // The colours show how far the ratio is from 1.
    Slice from_one = picture.slice;
    Tensor shade = Tensor::uninitialized(Precision::float64, from_one.values.shape());
    const double* const numbers = from_one.values.data<double>();
    std::transform(numbers, numbers + shade.elements(), shade.writable<double>(), [](double r) { return r - 1; });
    from_one.values = shade;
    picture.shade = from_one;
    options.color_bar = false;
  }
  const int last = across ? 2 : 1;
  draw_tensor_picture(context, "difference", at(last), picture, options);
  sign(last, "=");
}

}  // namespace headlight
