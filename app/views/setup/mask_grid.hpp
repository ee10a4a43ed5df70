// The custom mask as a grid of queries × keys that a brush hides keys in.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

/// Part of the mask section.
void draw_mask_grid(SetupRows& rows);

}  // namespace headlight
