#include "app/commands/progress_line.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace headlight {

ProgressLine::ProgressLine(bool asked_for)
    : asked_for_(asked_for), at_terminal_(!asked_for && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (wrote_ && at_terminal_) fmt::print(stderr, "\r\033[K");
}

Report ProgressLine::part(std::string_view what, double from, double to) {
  return [=, this](double fraction) { show(what, from + (to - from) * fraction); };
}

/// Shows whole percents, each only once.
void ProgressLine::show(std::string_view what, double fraction) {
  const int percent = static_cast<int>(fraction * 100);
  if (percent <= shown_) return;
  shown_ = percent;
  if (asked_for_) {
    fmt::print(stderr, "progress {:.2f}\n", percent / 100.0);
  } else if (at_terminal_ && std::chrono::steady_clock::now() - begun_ > std::chrono::milliseconds(500)) {
    fmt::print(stderr, "\r\033[Kheadlight: {}, {} %", what, percent);
    wrote_ = true;
  }
  std::fflush(stderr);
}

}  // namespace headlight
