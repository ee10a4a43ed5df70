#include "app/platform/background_thread.hpp"

#include <utility>

#include <emscripten/threading.h>

namespace headlight {

// A browser has no priorities.
Threads::Start behind_the_window() {
  return [](Threads::Work work) { return std::thread(std::move(work)); };
}

std::optional<double> slice_seconds() {
  if (emscripten_has_threading_support() != 0) return std::nullopt;
  return 0.012;
}

std::optional<std::chrono::milliseconds> pause_between_writings() { return std::nullopt; }

}  // namespace headlight
