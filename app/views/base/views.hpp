// The functions that draw each view: its centre and the panel to the right.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

// Two for each row of the table, such as draw_heads_view and draw_heads_panel, defined in the view's own folder.
#define HEADLIGHT_VIEW(word, centre, beside, ...) \
  void centre(ViewContext& context, Rect area);   \
  void beside(ViewContext& context, Rect area);
#include "app/view_table.inc"
#undef HEADLIGHT_VIEW

}  // namespace headlight
