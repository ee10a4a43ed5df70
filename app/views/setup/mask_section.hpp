// Which keys a query may see: kinds that combine, and their settings.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_mask_section(SetupRows& rows);

}  // namespace headlight
