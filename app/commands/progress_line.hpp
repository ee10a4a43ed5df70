// How far a long command is, for a person at a terminal or a program that asked for it.
#pragma once

#include <cstddef>
#include <string_view>

namespace headlight {

/// Writes to standard error: at a terminal one line that changes and goes when the command is done; for a program that
/// asked, lines "progress 3/12"; otherwise nothing, so that the logs of builds stay clean.
class ProgressLine {
 public:
  explicit ProgressLine(bool asked_for);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// "3 of 12 frames"
  void report(std::size_t done, std::size_t all, std::string_view what);

 private:
  bool asked_for_;
  bool at_terminal_;
};

}  // namespace headlight
