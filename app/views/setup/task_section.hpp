// The task, and how the layer learns it.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_task_section(SetupRows& rows);

}  // namespace headlight
