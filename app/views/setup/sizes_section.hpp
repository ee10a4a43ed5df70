// The section for the sizes: batch, lengths, features and heads.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_sizes_section(SetupRows& rows);

}  // namespace headlight
