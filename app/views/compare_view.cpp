#include "app/views/compare_view.hpp"

#include "app/views/stub.hpp"

namespace headlight {

void draw_compare_view(ViewContext& context, Rect area) { draw_stub(context, area, "Compare"); }

}  // namespace headlight
