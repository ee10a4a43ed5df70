#include "app/views/top_bar.hpp"

#include "app/views/stub.hpp"

namespace headlight {

void draw_top_bar(ViewContext& context, Rect area) { draw_stub(context, area, "Top bar"); }

}  // namespace headlight
