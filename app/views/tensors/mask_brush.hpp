// The brush with which a person hides keys from queries in the pictures of masked scores and weights.
//
// A stroke that begins on a visible cell hides keys; one that begins on a hidden cell shows them again. A stroke is one
// step of undo. The cells it touches are collected while the pictures are drawn, and are put into the setup after all
// pictures are drawn.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/names.hpp"

namespace headlight {

struct MaskBrush {
  struct Stroke {
    bool hides = true;
    Point at;  ///< where the pointer was in the last frame
  };
  std::optional<Stroke> stroke;
  std::vector<std::pair<Index, Index>> touched;  ///< (query, key) pairs of this frame
};

/// Whether the pointer paints in pictures of the tensor now.
bool paints(const ViewContext& context, TensorId tensor);

/// Call it while the mouse holds a picture for which paints() is true: paints every cell on the pointer's way. If a
/// pixel shows several cells, it paints them all.
void brush_cells(ViewContext& context, const Item& item, const Heatmap& heatmap);

/// Puts the touched cells into the setup. Call it once per frame, after the last picture, because an edit replaces the
/// trace that the pictures show.
void finish_brushing(ViewContext& context);

inline constexpr float paint_button_width = 104;
/// The button that takes the brush or puts it away.
void draw_paint_button(ViewContext& context, const Rect& r);
/// A frame round a picture that can be painted in.
void draw_paint_frame(const Canvas& canvas, const Rect& cells);

}  // namespace headlight
