// Scale, temperature and dropout; and the conventions that decide how the same thing is drawn and computed.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_attention_section(SetupRows& rows);
void draw_conventions_section(SetupRows& rows);

}  // namespace headlight
