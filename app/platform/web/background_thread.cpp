#include "app/platform/background_thread.hpp"

#include <utility>

namespace headlight {

// A browser has no priorities.
Threads::Start behind_the_window() {
  return [](Threads::Work work) { return std::thread(std::move(work)); };
}

std::optional<double> slice_seconds() { return 0.012; }

std::optional<std::chrono::milliseconds> pause_between_writings() { return std::nullopt; }

}  // namespace headlight
