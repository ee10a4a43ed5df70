#include "app/views/equation_view.hpp"

#include "app/views/stub.hpp"

namespace headlight {

void draw_equation_view(ViewContext& context, Rect area) { draw_stub(context, area, "Equation"); }

}  // namespace headlight
