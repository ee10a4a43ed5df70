#include "app/commands/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/streams.hpp"

namespace headlight {

ProgressLine::ProgressLine(bool asked_for)
    : asked_for_(asked_for), at_terminal_(!asked_for && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (wrote_ && at_terminal_) say("\r\033[K");
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
    say(fmt::format("progress {:.2f}\n", percent / 100.0));
  } else if (at_terminal_ && std::chrono::steady_clock::now() - begun_ > std::chrono::milliseconds(500)) {
    say(fmt::format("\r\033[Kheadlight: {}, {} %", what, percent));
    wrote_ = true;
  }
}

}  // namespace headlight
