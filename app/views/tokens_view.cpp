#include "app/views/tokens_view.hpp"

#include "app/views/stub.hpp"

namespace headlight {

void draw_tokens_view(ViewContext& context, Rect area) { draw_stub(context, area, "Tokens"); }

}  // namespace headlight
