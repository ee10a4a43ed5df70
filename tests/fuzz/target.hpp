// A fuzz target: a function that gives any bytes to a reader and checks the answer, and helpers for its checks.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight::fuzz {

/// Gives the bytes to the target's reader and checks the properties that must hold. Each target defines this function
/// once. The fuzzer calls it with bytes that it makes up (libfuzzer.cpp), the tests with the bytes of the corpus
/// (replay.cpp).
void judge(std::string_view bytes);

/// Aborts the program if the property does not hold, by which the fuzzer notices a failure.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

/// Checks that a refusal is reported well: each problem names the source, what was found and what is allowed, in valid
/// UTF-8.
inline void require_told(const InputError& error, std::string_view source) {
  require(!error.problems().empty(), "a refusal has a problem");
  for (const Problem& problem : error.problems()) {
    require(problem.source.starts_with(source), "a problem names its source");
    require(!problem.found.empty(), "a problem says what was found");
    require(!problem.allowed.empty(), "a problem says what is allowed");
    require_text(problem.message(), "a problem's words");
  }
}

}  // namespace headlight::fuzz
