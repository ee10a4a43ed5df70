// Scrubbing: the steps of a lecture as a line that is dragged along.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

struct Item;

/// While the item is dragged, shows the step under the mouse, built up as far as the mouse is through its part of the
/// line. The line begins at `left`, and each step takes `width` of it.
void scrub_steps(ViewContext& context, const Item& item, float left, float width);

}  // namespace headlight
