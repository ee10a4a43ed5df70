// The list of draws, line by line: their order decides every number.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

/// Lines that can be edited; part of the random section.
void draw_draws(SetupRows& rows);

}  // namespace headlight
