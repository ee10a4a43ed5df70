// What a computation works with: memory, threads, and the one who waits for it.
#pragma once

#include <algorithm>
#include <optional>

#include "core/compute/progress.hpp"
#include "core/compute/threads.hpp"
#include "core/memory/blocks.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Handed through one computation. How work is cut into tasks depends on its size alone, never on the number of
/// threads, so that each number comes out the same whoever computes it.
class Workspace {
 public:
  /// One thread, fresh memory, nobody waits.
  Workspace() = default;
  /// All three must outlive it. `total` is the cost of the whole computation, in any unit.
  Workspace(Threads& threads, BlockPool& blocks, const Progress& progress, double total);

  /// Uninitialised and contiguous.
  Tensor tensor(Precision precision, const Shape& shape);

  /// Begins the next part of the computation. Throws Stopped if nobody waits any more.
  void begin(double cost);
  /// The whole is done.
  void finish();
  /// Tells how much of the part is done. Throws Stopped if nobody waits any more.
  void reach(double fraction_of_part);
  /// Throws Stopped if nobody waits any more.
  void go_on() const {
    if (stopped()) throw Stopped();
  }

  /// task(0) to task(tasks - 1), each once, in any order, on all threads. Throws Stopped soon after nobody waits any
  /// more; then some tasks have not run.
  void each(Index tasks, TaskRef task);

  /// body(begin, end) for neighbouring ranges of at most `grain` that cover [0, count).
  template <class Body>
  void ranges(Index count, Index grain, Body&& body) {
    each((count + grain - 1) / grain, [&](Index i) { body(i * grain, std::min(count, (i + 1) * grain)); });
  }

 private:
  bool stopped() const { return progress_ != nullptr && progress_->stop.stop_requested(); }
  void report(double fraction_of_part);

  Threads* threads_ = nullptr;
  std::optional<Blocks> blocks_;
  const Progress* progress_ = nullptr;
  double total_ = 1;
  double before_ = 0;  ///< cost of the parts that are done
  double part_ = 0;    ///< cost of this part
  double reported_ = 0;
};

/// Elements of a range that is worth a task of its own where each takes a few operations.
constexpr Index elements_per_task = Index{1} << 16;

}  // namespace headlight
