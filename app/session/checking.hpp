// Changes the other side of the compare view: another state, called A, or arrays to check.
#pragma once

#include "app/session/check/checked_work.hpp"

namespace headlight {

class Session;

class Checking {
 public:
  explicit Checking(Session& session) : session_(session) {}

  /// Sets state A to the shown trace.
  void set_reference();
  void clear_reference();
  /// Checks these arrays, instead of those of the lecture's step if it has any. They are checked against the shown
  /// trace, whenever either changes.
  void set_work(CheckedWork work);

 private:
  Session& session_;
};

}  // namespace headlight
