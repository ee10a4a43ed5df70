// Threads that give way to the ones that draw.
#pragma once

#include "core/compute/threads.hpp"

namespace headlight {

/// How the window's program starts its threads: the system prefers them less than the window's own, where it can tell
/// them apart. So frames go on while a large trace is computed, also on a machine with few processors.
Threads::Start behind_the_window();

}  // namespace headlight
