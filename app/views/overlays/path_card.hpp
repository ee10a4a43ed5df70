// Asks for the path of a file to open or to save, and offers the recent ones and what stands in the folder.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_path_card(ViewContext& context);

}  // namespace headlight
