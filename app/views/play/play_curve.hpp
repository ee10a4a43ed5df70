// The small curve of what is watched over a number of the setup, beside the large slider and as a figure.
#pragma once

#include "app/session/play/curve.hpp"
#include "app/session/play/number.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Draws the curve from the lowest to the highest number, with a mark where the setup is and a fainter one where the
/// state `before` was, which may be null. On the screen it has buttons that take it away; in a figure the ends of what
/// is watched stand beside it.
void draw_play_curve(ViewContext& context, Rect area, const PlayNumber& number, Measure measure, const Trace* before);

}  // namespace headlight
