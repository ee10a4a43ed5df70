#include "app/commands/progress_line.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace headlight {

ProgressLine::ProgressLine(bool asked_for)
    : asked_for_(asked_for), at_terminal_(!asked_for && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (at_terminal_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::report(std::size_t done, std::size_t all, std::string_view what) {
  if (asked_for_) fmt::print(stderr, "progress {}/{}\n", done, all);
  else if (at_terminal_) fmt::print(stderr, "\r\033[Kheadlight: {} of {} {}", done, all, what);
  std::fflush(stderr);
}

}  // namespace headlight
