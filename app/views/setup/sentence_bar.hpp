// What a trained layer reads, at the head of a view: the sentence, the pieces that it is split into, and another one.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Cuts the bar off the top of the area and draws it, if the setup has a trained layer, and neither a slide nor the
/// words of a lecture's step need the room.
void draw_sentence_bar(ViewContext& context, Rect& area);

}  // namespace headlight
