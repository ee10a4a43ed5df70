// Zooming and moving pictures with the mouse, in the same way in every view.
//
// The wheel zooms about the pointer (with Ctrl if the wheel scrolls the view). Dragging with the middle button, or with
// the left button once zoomed, moves the picture. A double click shows everything again. Pictures side by side
// share axes, so that corresponding rows and columns stay aligned.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/heatmap/heatmap.hpp"
#include "app/session/display/display.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/model/names.hpp"

namespace headlight {

/// The axes that pictures of a view may share. `inner` is the axis that a product sums over.
enum class ZoomAxis : std::uint8_t { columns, rows, inner };

/// Which axis runs across the screen in a picture, and which one down.
struct ZoomAxes {
  ZoomAxis across = ZoomAxis::columns;
  ZoomAxis down = ZoomAxis::rows;
};

/// The zoom of one view.
struct Zoom {
  std::optional<TensorId> tensor;
  bool turned = false;                           ///< its rows run across the screen
  std::array<std::optional<AxisView>, 3> views;  ///< the part in view of each ZoomAxis; nullopt: the whole axis

  std::optional<AxisView>& view(ZoomAxis axis) { return views[static_cast<std::size_t>(axis)]; }
  const std::optional<AxisView>& view(ZoomAxis axis) const { return views[static_cast<std::size_t>(axis)]; }
  std::optional<AxisView> rows;  ///< that it began with
};

/// The axis along which the rows of a tensor follow each other in a picture of it.
inline ZoomAxis row_axis(bool turned) { return turned ? ZoomAxis::columns : ZoomAxis::rows; }

/// How many rows and columns of a picture are on the screen at first: all, or the rows that the lecture's step chooses.
struct CellsAtFirst {
  Index rows = 0;
  Index columns = 0;
};
CellsAtFirst cells_at_first(const Session& session, const TensorPicture& picture);
/// The zoom with which a picture of the tensor begins.
Zoom first_zoom(const Session& session, TensorId shown, ZoomAxis along_rows);

struct Zooms {
  std::array<Zoom, view_count> of_views;  ///< all pictures of a view share its zoom

  Zoom& of(View view) { return of_views[static_cast<std::size_t>(view)]; }
  const Zoom& of(View view) const { return of_views[static_cast<std::size_t>(view)]; }
};

/// The zoom of a view that shows a tensor. It starts over where another tensor is shown, the same one turned, or other
/// rows of it. The first tensor keeps the zoom that is set.
Zoom& zoom_for(ViewContext& context, View view, TensorId shown, bool turned, ZoomAxis along_rows);
inline Zoom& zoom_for(ViewContext& context, View view, TensorId shown, bool turned) {
  return zoom_for(context, view, shown, turned, row_axis(turned));
}

/// The parts of the axes that are shown, for an exported picture.
ZoomRanges shown_ranges(const Zoom& zoom);

/// The picture as a heatmap over `area`, showing the part that the zoom selects.
Heatmap zoomed_heatmap(const TensorPicture& picture, const Rect& area, float canvas_scale, const Zoom& zoom,
                       ZoomAxes axes = {});

/// Zooms and moves as the mouse does over the cells, from the next frame on. `item` is what draw_cells returned.
void zoom_with_mouse(ViewContext& context, const Item& item, const Heatmap& heatmap, TensorId tensor, Zoom& zoom,
                     ZoomAxes axes = {});

}  // namespace headlight
