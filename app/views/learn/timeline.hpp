// The time axis of a layer that learns: its weights at earlier steps, its loss, its share of right answers, and the
// controls that continue the training.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

inline constexpr float timeline_height = 148;
inline constexpr float low_timeline_height = 96;  ///< without the film, for a slide

/// A click or a drag on the axis goes to a step.
void draw_timeline(ViewContext& context, const Rect& area);

}  // namespace headlight
