#include "app/views/tensors/tensor_picture.hpp"

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/tensor_scale.hpp"

namespace headlight {

Cell TensorPicture::cell_at(GridCell at, const Setup& setup) const {
  return cell_of(Selection{tensor, batch, head, origin.row + at.row, origin.column + at.column}, setup);
}

Heatmap TensorPicture::heatmap(const Rect& area, float canvas_scale) const {
  Heatmap heatmap = make_heatmap(slice, scale, area, canvas_scale, transposed);
  heatmap.reduction = reduction;
  heatmap.shade = shade;
  heatmap.decimals = decimals;
  return heatmap;
}

TensorPicture picture_in(const ViewContext& context, const Trace& trace, const Selection& selection,
                         const ColorScale& scale) {
  TensorPicture picture{
      .tensor = selection.tensor,
      .batch = selection.batch,
      .head = selection.head,
      .slice =
          without_asked(context.session, selection, slice_of(trace, selection.tensor, selection.batch, selection.head)),
      .scale = scale,
      .transposed = shown_turned(selection.tensor, trace.setup),
      .reduction =
          context.session.display().heatmap(selection.tensor).mean ? Reduction::mean : Reduction::largest_magnitude,
      .decimals = matrix_choices(context.session).decimals};
  if (!scale.multiples) return picture;
  const Tensor multiples =
      context.memory.get<StatisticsCache>().multiples_of(*context.session.threads(), trace, selection.tensor);
  picture.shade = picture.slice;
  picture.shade->values = multiples.selected(1, selection.head).selected(0, selection.batch);
  return picture;
}

TensorPicture picture_of(const ViewContext& context, TensorId tensor, Index batch, Index head) {
  return picture_in(context, context.session.trace(), {.tensor = tensor, .batch = batch, .head = head},
                    color_scale_of(context, tensor, head));
}

TensorPicture part_of(TensorPicture picture, const GridBlock& part) {
  const auto cut = [&](Tensor& window) {
    if (window.empty()) return;
    window = window.narrowed(0, part.rows.begin, part.rows.size()).narrowed(1, part.columns.begin, part.columns.size());
  };
  cut(picture.slice.values);
  cut(picture.slice.hidden);
  if (picture.shade) {
    cut(picture.shade->values);
    cut(picture.shade->hidden);
  }
  picture.origin = {picture.origin.row + part.rows.begin, picture.origin.column + part.columns.begin};
  return picture;
}

std::string_view words_of(Reduction reduction) {
  return reduction == Reduction::mean ? "mean per pixel" : "max |v| per pixel";
}

Emphasis PictureLight::emphasis(float strength) const {
  Emphasis emphasis;
  if (row) emphasis.rows = IndexRange::one(*row);
  if (column) emphasis.columns = IndexRange::one(*column);
  emphasis.strength = strength;
  return emphasis;
}

PictureLight light_of(const ViewContext& context, const TensorPicture& picture, bool quiets) {
  const Session& session = context.session;
  const Cell cell = session.cell();
  if (cell.tensor != picture.tensor || points_at_answer(session)) return {};
  const Selection selection = at_cell(session.selection(), cell, session.setup());
  if (info(cell.tensor).has_batch() && selection.batch != picture.batch) return {};
  if (context.still && !session.state().pinned) return {};
  const bool quiet = quiets && !context.presenting && (session.state().pinned || session.state().hovered == cell);
  const GridCell at{selection.row - picture.origin.row, selection.column - picture.origin.column};
  const bool has_row = at.row >= 0 && at.row < picture.slice.rows();
  const bool has_column = at.column >= 0 && at.column < picture.slice.columns();
  PictureLight light{.row = {}, .column = {}, .ring = {}, .quiet = quiet};
  if (has_row) light.row = at.row;
  if (has_column) light.column = at.column;
  if (has_row && has_column) light.ring = at;
  return light;
}

}  // namespace headlight
