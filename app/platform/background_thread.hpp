// Threads that give way to the one that draws.
#pragma once

#include <functional>
#include <thread>

namespace headlight {

/// Starts a thread that the system prefers less than the others of the program, where it can tell them apart: on a
/// machine with few processors, frames go on while a large trace is computed. Throws std::system_error where no thread
/// can start.
std::thread start_background_thread(std::function<void()> work);

}  // namespace headlight
