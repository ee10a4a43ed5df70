// The card that says why a file was refused. It stays until it is closed.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_problems_card(ViewContext& context);

}  // namespace headlight
