// Asks for the path of a file to open or to save, and offers recent files and the entries of the folder.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_path_card(ViewContext& context);

}  // namespace headlight
