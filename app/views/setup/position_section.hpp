// How attention knows where a token stands.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_position_section(SetupRows& rows);

}  // namespace headlight
