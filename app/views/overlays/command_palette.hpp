// Ctrl+K: finds anything by its name and runs or opens it.
#pragma once

#include <cstddef>
#include <string>

#include "app/views/base/view_context.hpp"

namespace headlight {

struct PaletteMemory {
  std::string text;     ///< as typed
  std::size_t row = 0;  ///< the chosen row
};

void draw_palette(ViewContext& context);

}  // namespace headlight
