#include "app/views/inspector.hpp"

#include "app/views/stub.hpp"

namespace headlight {

void draw_inspector(ViewContext& context, Rect area) { draw_stub(context, area, "Inspector"); }

}  // namespace headlight
