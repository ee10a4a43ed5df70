// Threads that give way to the ones that draw.
#pragma once

#include <chrono>
#include <optional>

#include "core/compute/threads.hpp"

namespace headlight {

/// How the window's program starts its threads: the system prefers them less than the window's own, where it can tell
/// them apart. So frames go on while a large trace is computed, also on a machine with few processors.
Threads::Start behind_the_window();

/// For how many seconds at a time the window may do what another thread would do; nullopt where there are threads.
std::optional<double> slice_seconds();

/// How long to leave between two writings of what is kept, so that the disk is not always busy; nullopt where files are
/// in memory, and the window's own thread writes them.
std::optional<std::chrono::milliseconds> pause_between_writings();

}  // namespace headlight
