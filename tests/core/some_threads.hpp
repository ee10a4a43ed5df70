// Threads for tests that work with any number of them.
#pragma once

#include "core/compute/threads.hpp"

namespace headlight::testing {

inline Threads& some_threads() {
  static Threads threads;
  return threads;
}

}  // namespace headlight::testing
