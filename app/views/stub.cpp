#include "app/views/stub.hpp"

#include "app/ui/ui.hpp"

namespace headlight {

void draw_stub(ViewContext& context, Rect area, std::string_view name) {
  context.ui.canvas().text_in(area, name, TextStyle::heading, context.ui.theme().text3, Align::center);
}

}  // namespace headlight
