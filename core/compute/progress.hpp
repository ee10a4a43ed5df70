// Who waits for a long computation: how it is told how far it is, and how it is told that nobody waits any more.
#pragma once

#include <exception>
#include <functional>
#include <stop_token>

namespace headlight {

/// Handed to a computation by the one who waits. Both members are used on the thread that computes.
struct Progress {
  std::stop_token stop;                         ///< asked between stages, and between blocks of the long ones
  std::function<void(double fraction)> report;  ///< never falls; 1 at the end. May be empty; must not throw
};

/// Thrown by a computation that was asked to stop. Nothing has changed then.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "the computation was stopped"; }
};

}  // namespace headlight
