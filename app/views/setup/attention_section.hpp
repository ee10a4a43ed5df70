// Scale, temperature and dropout, and the conventions for layout and precision.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_attention_section(SetupRows& rows);
void draw_conventions_section(SetupRows& rows);

}  // namespace headlight
