// Edits of a setup as a person makes them: each takes a setup and gives the setup that they would expect, with
// everything else adapted so that it can still be computed. What cannot be adapted is left for `problems` to name.
#pragma once

#include "app/session/edits/draw_edits.hpp"
#include "app/session/edits/mask_edits.hpp"
#include "app/session/edits/size_edits.hpp"
