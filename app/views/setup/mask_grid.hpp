// The custom mask as a grid of queries × keys, in which a brush hides keys.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

/// Draws the grid; a part of the mask section.
void draw_mask_grid(SetupRows& rows);

}  // namespace headlight
