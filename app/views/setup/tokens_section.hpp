// The words at the positions, and whether keys and values come from a second input (cross-attention).
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_tokens_section(SetupRows& rows);

}  // namespace headlight
