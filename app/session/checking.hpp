// What the compare view shows beside the trace: state A, or arrays to check.
#pragma once

#include "app/session/state/checked_work.hpp"

namespace headlight {

class Session;

/// Whether the compare view shows a check, or offers one because there is nothing to compare, or the step asks for the
/// reader's own code. Arrays that are pasted then are somebody's work.
bool takes_work(const Session& session);

/// Changes the other side of the compare view.
class Checking {
 public:
  explicit Checking(Session& session) : session_(session) {}

  /// Sets state A to the shown trace.
  void set_reference();
  /// The compare view shows two states instead of a check.
  void show_states();
  void clear_reference();
  /// Checks these arrays, instead of those of the lecture's step if it has any, until another step is opened. They are
  /// checked against the shown trace, whenever either changes.
  void set_work(CheckedWork work);
  /// As set_work, with what was kept.
  void restore(const KeptWork& kept);

 private:
  Session& session_;
};

}  // namespace headlight
