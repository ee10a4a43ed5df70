#include "app/views/setup_panel.hpp"

#include "app/views/stub.hpp"

namespace headlight {

void draw_setup_panel(ViewContext& context, Rect area) { draw_stub(context, area, "Setup"); }
void draw_setup_rail(ViewContext& context, Rect area) { draw_stub(context, area, "S"); }

}  // namespace headlight
