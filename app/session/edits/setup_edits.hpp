// Edits of a setup as a person makes them. Each takes a setup and returns the edited one, with everything else adapted
// so that it can still be computed. What cannot be adapted is reported by `problems` later.
#pragma once

#include "app/session/edits/draw_edits.hpp"
#include "app/session/edits/mask_edits.hpp"
#include "app/session/edits/position_edits.hpp"
#include "app/session/edits/size_edits.hpp"
#include "app/session/edits/task_edits.hpp"
