#include <algorithm>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "app/platform/background_thread.hpp"
#include "core/compute/threads.hpp"

using namespace headlight;

TEST_CASE("what is computed beside the window gives way to it") {
  const int own = getpriority(PRIO_PROCESS, 0);
  Threads threads(2, behind_the_window());
  const int beside = threads.beside([] { return getpriority(PRIO_PROCESS, 0); }).get();
  CHECK(beside == std::min(own + 5, 19));
  CHECK(getpriority(PRIO_PROCESS, 0) == own);
}
