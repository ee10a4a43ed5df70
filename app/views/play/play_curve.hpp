// The small curve of a measure over a number of the setup, beside the large slider and as a figure.
#pragma once

#include "app/session/play/curve.hpp"
#include "app/session/play/number.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Draws the curve from the lowest to the highest number, with a mark at the setup and a fainter one at the state
/// `before`, which may be null. On the screen it has buttons that copy and export it; a figure shows the ends of the
/// measure's axis instead.
void draw_play_curve(ViewContext& context, Rect area, const PlayNumber& number, Measure measure, const Trace* before);

}  // namespace headlight
