// Edits of a setup as a person makes them. Each takes a setup and returns the edited one, with everything else adapted
// so that it can still be computed. What cannot be adapted is reported by `problems` later.
#pragma once

#include "core/setup/draw_edits.hpp"
#include "core/setup/mask_edits.hpp"
#include "core/setup/size_edits.hpp"
#include "core/setup/task_edits.hpp"
#include "core/setup/value_edits.hpp"
