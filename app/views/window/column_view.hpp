// The window on a narrow screen, such as a phone's: one column that scrolls, and the buttons where the thumb is.
#pragma once

#include "app/views/base/view_context.hpp"

namespace headlight {

/// Whether the window is so narrow that it has one column. It is measured in pixels of the display's own scale: type
/// that somebody has enlarged does not make a window narrow.
bool has_one_column(const ViewContext& context);

/// Draws it over the whole surface: the steps along the top edge, the lecture; below each other the step's title, its
/// words, its picture and its question; at the foot back, on, and the answer. A pinned number opens its explanation as
/// a sheet from below.
void draw_column(ViewContext& context);

}  // namespace headlight
