// The card of a first start: the lectures, a sentence of one's own, files.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_start_card(ViewContext& context);

}  // namespace headlight
