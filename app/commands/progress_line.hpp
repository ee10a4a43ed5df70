// Shows the progress of a long command, to a person at a terminal or to a program that asked for it.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

namespace headlight {

/// The share of the work that is done, from 0 to 1.
using Report = std::function<void(double fraction)>;

/// Writes to standard error. At a terminal it is one line, shown after half a second, which is rewritten in place and
/// removed at the end. For a program that asked with --progress it is lines "progress 0.25". Otherwise it writes
/// nothing, so that logs stay clean.
class ProgressLine {
 public:
  explicit ProgressLine(bool asked_for);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// The Report for one part of the work, which covers the fractions `from` to `to` of the whole. `what` must be a
  /// literal, "computing", because it is kept. The Report must not outlive this object.
  Report part(std::string_view what, double from, double to);

 private:
  void show(std::string_view what, double fraction);

  bool asked_for_;
  bool at_terminal_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  int shown_ = 0;  ///< the last percentage shown
  bool wrote_ = false;
};

}  // namespace headlight
