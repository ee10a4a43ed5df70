// The labels beside the rows and columns of a picture: tokens and indices, fewer of them if there is no room for all.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/heatmap/layout.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/model/task.hpp"
#include "core/stages/explain.hpp"

namespace headlight {

class Session;

/// What gives the indices of an axis their words: the setup's own, and where a task makes the sequences and the setup
/// names no tokens, the symbols that the selected sequence holds.
struct LabelSource {
  const Setup& setup;
  const Sequences* sequences = nullptr;
  Index item = 0;
  const Session* lesson = nullptr;  ///< whose step may choose other words

  LabelSource(const Setup& own) : setup(own) {}
  LabelSource(const Session& session);
  /// Whether the symbols of the sequence are the words of this axis.
  bool holds(TensorId tensor, bool last) const;
};

/// The label of an index on the last axis of a tensor (`last`), or on the one before it.
AxisLabel axis_label(TensorId tensor, bool last, Index index, const LabelSource& words);
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
AxisLabels axis_labels(const Theme& theme, TensorId tensor, bool last, const LabelSource& words,
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
LabelsAbove labels_above(const Canvas& canvas, TensorId tensor, bool last, const LabelSource& words,
                         const LabelledColumns& columns);
/// The width of labels down the screen, in design pixels; at most `widest`.
float labels_width(const Canvas& canvas, const AxisLabels& labels, Index count, float widest = 72);

/// Draw the labels of the columns on screen, in a strip as wide as the layout, and of the rows, in one as high as it.
/// `beyond` is how far a slanted one may reach over the last column.
void draw_labels_across(const Canvas& canvas, const HeatmapLayout& layout, const Rect& strip, const AxisLabels& labels,
                        float beyond = 6);
void draw_labels_down(const Canvas& canvas, const HeatmapLayout& layout, const Rect& strip, const AxisLabels& labels,
                      Align align = Align::center);

}  // namespace headlight
