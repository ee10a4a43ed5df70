// Threads for tests to which it does not matter how many there are.
#pragma once

#include "core/compute/threads.hpp"

namespace headlight::testing {

inline Threads& some_threads() {
  static Threads threads;
  return threads;
}

}  // namespace headlight::testing
