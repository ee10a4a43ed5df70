// The Learn view: the heads' weights with what each position is asked and answers in the same rows, and below them time
// itself, from the layer as drawn to what it has learnt.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// Only where the setup has a task.
void draw_learn_view(ViewContext& context, Rect area);

}  // namespace headlight
