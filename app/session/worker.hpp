// The engine, and a thread for computations that a frame must not wait for.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "app/session/studies/trace_summary.hpp"
#include "core/engine/engine.hpp"
#include "core/lecture/check.hpp"
#include "core/model/problem.hpp"

namespace headlight {

/// Why a setup cannot be computed, as far as that is known beforehand: it is invalid, or its trace is over the limit
/// (bytes). Empty if nothing is known against it.
std::vector<Problem> refusals(const Setup& setup, std::int64_t memory_limit);

/// A setup to compute.
struct Task {
  Setup setup;
  std::shared_ptr<const Lecture> facts_of;  ///< compare its printed facts first; null: none
  Index batch = 0;                          ///< the batch item that is looked at

  friend bool operator==(const Task&, const Task&) = default;
};

struct Outcome {
  std::shared_ptr<const Trace> trace;  ///< null if there are problems
  TraceSummary summary;                ///< complete if computed on the worker's thread; else what was known
  std::vector<FactResult> facts;       ///< results for the lecture of the task
  std::vector<TensorId> recomputed;    ///< the tensors that were computed anew
  double seconds = 0;
  std::vector<Problem> problems;
  bool superseded = false;  ///< another task has been started since
};

/// What happens to the running task when another is started.
enum class Meanwhile : std::uint8_t {
  stop,    ///< it is stopped and its outcome dropped
  finish,  ///< it is finished first, and its outcome returned as superseded
};

/// Computes one task at a time, on the caller's thread or on its own. Everything returns at once except perform(),
/// wait() and the destructor. Outcomes are immutable, so no changing data is shared between threads.
class Worker {
 public:
  explicit Worker(std::int64_t memory_limit);
  /// Stops the running task and joins the thread.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Whether no task is running, so that perform() may be called.
  bool idle() const;
  /// An estimate of the task's duration, given what the engine can keep from the last one. idle() must hold.
  double estimated_seconds(const Task& task) const;
  /// Performs the task on the caller's thread. idle() must hold.
  Outcome perform(const Task& task);

  /// Starts the task on the worker's thread; it replaces any task that is still waiting.
  void start(Task task, Meanwhile meanwhile = Meanwhile::stop);
  /// Drops the task; the thread stops it as soon as the engine can.
  void stop();
  /// How much of the task is done, from 0 to 1.
  double progress() const;
  /// The outcome of the last started task, or of an earlier one that was to be finished. Returned once, when it is
  /// ready.
  std::optional<Outcome> take();
  /// Returns when the last started task is done or dropped, or after `seconds`.
  void wait(double seconds);
  /// `wake` is called on the worker's thread when an outcome is ready. After another set_wake() returns, the old
  /// function is no longer called.
  void set_wake(std::function<void()> wake);

 private:
  void run(const std::stop_token& end);

  Engine engine_;                      ///< used by the thread while it is busy, else by the caller
  std::shared_ptr<const Trace> last_;  ///< the trace that the engine holds; used by the same thread
  TraceSummary summary_;               ///< the summary of last_; used by the same thread
  mutable std::mutex mutex_;           ///< guards the members below
  std::condition_variable_any changed_;
  std::optional<Task> waiting_;
  std::optional<Outcome> done_;
  std::stop_source current_;  ///< stops the task that waits or runs
  bool busy_ = false;
  double progress_ = 0;
  std::mutex wake_mutex_;
  std::function<void()> wake_;
  std::jthread thread_;  ///< starts with the first task; last, so that it ends before the members it uses
};

}  // namespace headlight
