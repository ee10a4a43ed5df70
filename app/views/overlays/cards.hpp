// Why a file was refused, until closed.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_problems_card(ViewContext& context);

}  // namespace headlight
