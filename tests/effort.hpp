// How much a test tries: a sample, or with ./test --long everything.
#pragma once

#include <cstdlib>

namespace headlight::testing {

/// Whether this is ./test --long, which takes as long as it takes.
inline bool is_long_run() { return std::getenv("HEADLIGHT_LONG") != nullptr; }

}  // namespace headlight::testing
