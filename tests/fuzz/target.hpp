// A fuzz target: one function that judges a reader by any bytes whatever, and the words that it judges with.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight::fuzz {

/// Hands the bytes to the target's reader and requires what must hold of its answer. Each target defines it once; a
/// fuzzer calls it with bytes that it makes up (libfuzzer.cpp), the tests with those of the corpus (replay.cpp).
void judge(std::string_view bytes);

/// Ends the program where the property does not hold: that is how a fuzzer learns of a find.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

/// A refusal names the place, what was found there and what is allowed, for each problem, in words that can be printed.
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
