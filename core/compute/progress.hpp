// How a long computation reports its progress and how its caller cancels it.
#pragma once

#include <exception>
#include <functional>
#include <stop_token>

namespace headlight {

/// What the caller passes to a long computation. Both members are used only on the thread that computes.
struct Progress {
  std::stop_token stop;                         ///< read between stages and, in long stages, between blocks
  std::function<void(double fraction)> report;  ///< values never fall; the last is 1. May be empty; must not throw
};

/// Thrown by a computation that was cancelled. Nothing has changed then.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "the computation was stopped"; }
};

}  // namespace headlight
