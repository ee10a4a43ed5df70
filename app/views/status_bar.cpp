#include "app/views/status_bar.hpp"

#include "app/views/stub.hpp"

namespace headlight {

void draw_status_bar(ViewContext& context, Rect area) { draw_stub(context, area, "Status"); }

}  // namespace headlight
