// The window on a small screen, such as a phone's: one column that scrolls, and the buttons where the thumb is. Held
// sideways, it has the picture beside the words and the buttons above them.
#pragma once

#include "app/views/base/view_context.hpp"

namespace headlight {

/// Draws it over the whole surface: the steps along the top edge, the lecture; below each other the step's title, its
/// words, its picture and its question; at the foot back, on, and the answer. A pinned number opens its explanation as
/// a sheet from below, and the panels that a larger window has beside its view are sheets too.
void draw_column(ViewContext& context);
/// Escape closes an open sheet, unless something in front of it has taken the key.
void finish_column(ViewContext& context);

}  // namespace headlight
