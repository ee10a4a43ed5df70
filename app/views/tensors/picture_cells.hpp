// The cells of a picture, which answer to the mouse: their colours, numbers and the ring.
//
// draw_tensor_picture (whole_picture.hpp) draws labels and bands too, in one rectangle. Views that share these between
// pictures (the equation) put a Heatmap in place themselves and call draw_cells.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// While the user plays with a number, the state before: its numbers show in cells too.
struct Ghost {
  std::shared_ptr<const Trace> before;
};

struct CellsOptions {
  bool numbers = true;      ///< where there is room
  bool interactive = true;  ///< hover and click
  bool paints = true;       ///< takes the brush and other numbers; false if it does not show the present setup
  bool asked = true;  ///< hides what the step asks about; false if it shows a state that the step does not ask about
  std::string_view of = {};  ///< put before a cell's tip if the number is not from the session's trace: "A:"
  bool ring = true;          ///< false if the caller draws outlines first and the ring over them, see draw_ring
  int power = 0;             ///< of ten, that the numbers are multiples of; the caller writes it beside them
  bool glides = true;        ///< to its place, when one comes to it; false if the caller moves it
};
/// Draws cells, numbers and the ring; hovering and clicking go to the session. The heatmap must show the picture's
/// slice; its emphasis is set here. `id` must be unique in the current scope.
Item draw_cells(ViewContext& context, std::string_view id, const TensorPicture& picture, Heatmap heatmap,
                const PictureLight& light, const CellsOptions& options = {});

/// The width of a band's outline. A slide is drawn twice as large, and its bands not quite.
float band_width(const ViewContext& context);
/// Draws the ring round the lit cell, with a pin if it is pinned. Draws nothing if the cell is not on screen.
void draw_ring(const ViewContext& context, const HeatmapLayout& layout, const PictureLight& light);

/// Whether a band is too thin to hold its label. It then covers the cells only and does not run through the words.
inline bool is_thin(const Rect& band) { return std::min(band.w, band.h) < 14; }

}  // namespace headlight
