// What a computation works with: memory, threads, and a way to report progress and be cancelled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>

#include "core/compute/threads.hpp"
#include "core/memory/blocks.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// The caller passes this to a long computation. Every thread that computes reads `stop`; the functions are called only
/// on the thread that started the computation.
struct Progress {
  std::stop_token stop;                         ///< read between stages and, in long stages, between blocks
  std::function<void(double fraction)> report;  ///< values never fall; the last is 1. May be empty; must not throw
  /// Asked after each stage and each training step. If it says yes, the computation throws Stopped too, but keeps
  /// what it has made, and the same call goes on from there. For a program without threads, which works in slices.
  /// May be empty; must not throw.
  std::function<bool()> pauses = {};
};

/// Thrown by a computation that was cancelled, or that pauses. Earlier results stay as they were.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "the computation was stopped"; }
};

/// How matrix products are computed: as fast as they can be, or each sum in the order of its terms
/// (matrix_product.hpp).
enum class Products : std::uint8_t { fast, in_order };

/// Passed through one computation. Work is cut into tasks by its size alone, never by the number of threads, so every
/// number is the same for any number of threads.
class Workspace {
 public:
  /// Works with one thread and new memory, and reports to nobody.
  Workspace() = default;
  /// The same, with a chance to cancel. `progress` must outlive the workspace.
  explicit Workspace(const Progress& progress) : progress_(&progress) {}
  /// `threads`, `blocks` and `progress` must outlive the workspace. `total` is the cost of the whole computation, in
  /// any unit.
  Workspace(Threads& threads, BlockPool& blocks, const Progress& progress, double total);

  /// The same threads, memory and chance to cancel for a part of a computation, whose progress is not reported.
  Workspace quiet() const {
    Workspace part = *this;
    if (blocks_) part.blocks_.emplace(blocks_->apart());
    part.is_quiet_ = true;
    return part;
  }

  /// The same with such products.
  Workspace with(Products products) const {
    Workspace same = *this;
    same.products_ = products;
    return same;
  }
  Products products() const { return products_; }

  /// A new contiguous tensor; its numbers are uninitialised.
  Tensor tensor(Precision precision, const Shape& shape);

  /// Begins the next part of the computation, `cost` in the unit of `total`. Throws Stopped if the caller has
  /// cancelled.
  void begin(double cost);
  /// Reports that the whole computation is done.
  void finish();
  /// Reports how much of the current part is done. Throws Stopped if the caller has cancelled.
  void reach(double fraction_of_part);
  /// Throws Stopped if the caller has cancelled.
  void go_on() const {
    if (stopped()) throw Stopped();
  }

  /// Throws Stopped if the caller wants a pause. For a place where what was made so far is kept.
  void may_pause() const {
    if (progress_ != nullptr && progress_->pauses && progress_->pauses()) throw Stopped();
  }

  /// Calls task(0) to task(tasks - 1), each once, in any order, on all threads. Throws Stopped soon after the caller
  /// has cancelled; some tasks have not run then.
  void each(Index tasks, TaskRef task);

  /// Calls body(begin, end) for neighbouring ranges of at most `grain` numbers that together cover [0, count).
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
  double before_ = 0;  ///< cost of the finished parts
  double part_ = 0;    ///< cost of the current part
  double reported_ = 0;
  bool is_quiet_ = false;
  Products products_ = Products::fast;
};

/// How many elements make a task worthwhile when each takes a few operations.
constexpr Index elements_per_task = Index{1} << 16;

}  // namespace headlight
