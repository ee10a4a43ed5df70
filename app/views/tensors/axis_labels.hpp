// The labels beside the rows and columns of a picture: tokens and indices, fewer of them if there is no room for all.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/heatmap/layout.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/model/names.hpp"
#include "core/stages/explain.hpp"

namespace headlight {

class Session;

/// The label of an index on the last axis of a tensor (`last`), or on the one before it. Its words are the setup's own;
/// where a task makes the sequences and the setup names no tokens, the symbols that the selected sequence holds; or
/// what the lecture's step chooses.
AxisLabel axis_label(TensorId tensor, bool last, Index index, const Session& session);
/// The axis that axis_label labels, and the role that gives its bands and indices their colour.
std::optional<Axis> matrix_axis(TensorId tensor, bool last);
Role axis_role(TensorId tensor, bool last);

/// The labels of one axis of a picture.
struct AxisLabels {
  std::function<AxisLabel(Index)> label;
  Color identity;            ///< the colour of the lit label's index
  std::optional<Index> lit;  ///< the position whose label is always drawn, and emphasised
  bool repeats = false;      ///< tokens are symbols that come again: alone they need their index, "c 3"
};
AxisLabels axis_labels(const Theme& theme, TensorId tensor, bool last, const Session& session,
                       std::optional<Index> lit);

/// The height of labels across the screen that have one line.
inline constexpr float one_label_line = 22;
/// The columns that labels are above.
struct LabelledColumns {
  Index count = 0;
  float pitch = 0;
  bool one_line = false;  ///< the token without its index
};
/// Labels across the screen. Words that are too long for their columns are slanted, which takes more height.
struct LabelsAbove {
  float height = one_label_line;
  bool slanted = false;
};
LabelsAbove labels_above(const Canvas& canvas, const TensorPicture& picture, const Session& session,
                         const LabelledColumns& columns);
/// The width of labels down the screen, in design pixels; at most `widest`.
float labels_width(const Canvas& canvas, const AxisLabels& labels, Index count, float widest = 72);
/// Of those left of a picture.
float labels_width(const Canvas& canvas, const TensorPicture& picture, const Session& session, float widest = 72);

/// Draw the labels of the columns on screen, in a strip as wide as the layout, and of the rows, in one as high as it.
/// `beyond` is how far a slanted one may extend past the last column.
void draw_labels_across(const Canvas& canvas, const HeatmapLayout& layout, const Rect& strip, const AxisLabels& labels,
                        float beyond = 6);
void draw_labels_down(const Canvas& canvas, const HeatmapLayout& layout, const Rect& strip, const AxisLabels& labels,
                      Align align = Align::center);

}  // namespace headlight
