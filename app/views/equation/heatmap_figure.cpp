#include "app/views/equation/heatmap_figure.hpp"

#include <algorithm>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/equation_parts.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/whole_picture.hpp"

namespace headlight {
namespace {

constexpr float colour_bar = 38;
constexpr float legend_row = 26;
constexpr float narrowest_block = 230;  ///< leaves room for the title
constexpr float longest_stretch = 1.15f;

/// Limits how much longer one side of a cell may be than the other, so that a narrow tensor still has nearly square
/// cells.
float nearly(float pitch, float other) { return std::min(pitch, longest_stretch * other); }

void draw_legend(const Canvas& canvas, const Rect& row) {
  const Rect sample{row.x, row.y + 5, 24, 16};
  canvas.hatch(sample, 8, 2);
  canvas.stroke(sample, canvas.theme().line_strong, 1, 2);
  canvas.text_in({sample.right() + 8, row.y, row.w - 32, row.h}, "masked", TextStyle::caption, canvas.theme().text2);
}

}  // namespace

void draw_heatmap_figure(ViewContext& context, const Rect& area) {
  const Canvas canvas = context.ui.canvas();
  const Session& session = context.session;
  const Setup& setup = session.setup();
  const Selection& selection = session.selection();
  const TensorPicture picture = picture_of(context, selection.tensor, selection.batch, selection.head);
  const auto columns = static_cast<float>(picture.columns_on_screen());
  const auto rows = static_cast<float>(picture.rows_on_screen());
  const float down = labels_width(canvas, picture, session);
  const bool masked = info(selection.tensor).masked && !setup.mask.kinds.empty();
  const float below = colour_bar + (masked ? legend_row : 0);
  float pitch_x = std::min(widest_cell, (area.w - down) / columns);
  const float across = labels_above(canvas, picture, session, {picture.columns_on_screen(), pitch_x}).height;
  float pitch_y = std::min(highest_cell, (area.h - title_row - across - below) / rows);
  if (columns > 1 && rows > 1) {
    const float x = nearly(pitch_x, pitch_y);
    pitch_y = nearly(pitch_y, pitch_x);
    pitch_x = x;
  }
  const float cells_w = pitch_x * columns;
  const float cells_h = pitch_y * rows;
  const float width = std::min(area.w, down + std::max(cells_w, narrowest_block - down));
  const Rect block{area.x, area.y, width, title_row + across + cells_h + below};
  TensorPictureOptions options;
  options.color_bar = true;
  options.widest_pitch = pitch_x;
  options.highest_pitch = pitch_y;
  const Rect picture_area{block.x, block.y + title_row, block.w, across + cells_h + colour_bar};
  options.power = true;
  const auto [cells, reduced, power] = draw_tensor_picture(context, "heatmap", picture_area, picture, options);
  draw_operand_title(canvas, {cells.x, block.y, block.right() - cells.x, title_row}, picture, setup, {reduced, power});
  if (masked) draw_legend(canvas, {cells.x, picture_area.bottom(), cells.w, legend_row});
}

}  // namespace headlight
