// Generator, seed, and how each group of tensors is drawn.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_random_section(SetupRows& rows);

}  // namespace headlight
