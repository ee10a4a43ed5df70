#include "app/views/heads_view.hpp"

#include "app/views/stub.hpp"

namespace headlight {

void draw_heads_view(ViewContext& context, Rect area) { draw_stub(context, area, "Heads"); }
void draw_heads_panel(ViewContext& context, Rect area) { draw_stub(context, area, "Heads panel"); }

}  // namespace headlight
