// The setup panel's list of numbers that are given instead of drawn.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

/// Nothing is drawn where nothing is given, here and in the lecture.
void draw_values_section(SetupRows& rows);

}  // namespace headlight
