// Words for the positions, and whether keys come from elsewhere.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_tokens_section(SetupRows& rows);

}  // namespace headlight
