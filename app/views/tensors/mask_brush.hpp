// The brush that hides keys from queries, by hand, in the pictures of masked scores and weights.
//
// A stroke begins on a cell and hides or shows keys, whichever that cell was not; it is one step of undo. What it
// touches in a frame is gathered while pictures are drawn and reaches the setup when all of them are.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/ui.hpp"
#include "app/views/frame/view_context.hpp"
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

/// A picture of such a tensor is being held: paints every cell on the way of the pointer. Where a pixel stands for
/// several cells it paints them all.
void brush_cells(ViewContext& context, const Item& item, const Heatmap& heatmap);

/// Brings what was touched into the setup. Once per frame, after the last picture: an edit makes another trace.
void finish_brushing(ViewContext& context);

inline constexpr float paint_button_width = 104;
/// Takes the brush or puts it away.
void draw_paint_button(ViewContext& context, const Rect& r);
/// A frame round a picture that can be painted in.
void draw_paint_frame(const Canvas& canvas, const Rect& cells);

}  // namespace headlight
