// How far a long command is, for a person at a terminal or a program that asked for it.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

namespace headlight {

/// How much of something is done, from 0 to 1.
using Report = std::function<void(double fraction)>;

/// Writes to standard error: at a terminal, once it took half a second, one line that changes and goes when the command
/// is done; for a program that asked, lines "progress 0.25"; otherwise nothing, so that the logs of builds stay clean.
class ProgressLine {
 public:
  explicit ProgressLine(bool asked_for);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// One part of the work, which lies between two fractions of all of it. `what` is a literal: "computing". It must not
  /// outlive this.
  Report part(std::string_view what, double from, double to);

 private:
  void show(std::string_view what, double fraction);

  bool asked_for_;
  bool at_terminal_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  int shown_ = 0;  ///< percent
  bool wrote_ = false;
};

}  // namespace headlight
