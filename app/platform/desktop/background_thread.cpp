#include "app/platform/background_thread.hpp"

#include <utility>

#include <sys/resource.h>

namespace headlight {
namespace {

/// Half of what nice(1) takes by default: the window's threads get three times the share of a processor, and beside
/// other programs the computation still gets on.
constexpr int niceness = 5;

/// On Linux each thread has a priority of its own, and 0 names the one that calls. A refusal does no harm.
void give_way() { setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness); }

}  // namespace

Threads::Start behind_the_window() {
  return [](Threads::Work work) {
    return std::thread([work = std::move(work)] {
      give_way();
      work();
    });
  };
}

std::optional<double> slice_seconds() { return std::nullopt; }

std::optional<std::chrono::milliseconds> pause_between_writings() { return std::chrono::milliseconds(500); }

}  // namespace headlight
