// The list of draws, one per line. Their order matters: it decides which random numbers each tensor gets.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

/// Draws the list, whose lines can be edited; a part of the random section.
void draw_draws(SetupRows& rows);

}  // namespace headlight
