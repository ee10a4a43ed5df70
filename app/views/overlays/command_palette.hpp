// Ctrl+K: finds anything by its name and runs or opens it.
#pragma once

#include <cstddef>
#include <string>

#include "app/views/base/view_context.hpp"

namespace headlight {

struct PaletteMemory {
  std::string text;     ///< as typed
  std::size_t row = 0;  ///< the chosen row
  bool sure = false;    ///< Enter was pressed once where it ends the program
};

void draw_palette(ViewContext& context);

}  // namespace headlight
