// The engine, and what a frame must not wait for, computed beside it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/session/studies/trace_summary.hpp"
#include "core/compute/threads.hpp"
#include "core/engine/engine.hpp"
#include "core/lecture/check.hpp"
#include "core/model/problem.hpp"

namespace headlight {

/// Why a setup cannot be computed, as far as that can be told before: it is invalid, or its trace is over the limit
/// (bytes).
std::vector<Problem> refusals(const Setup& setup, std::int64_t memory_limit);

/// A setup to be computed.
struct Task {
  Setup setup;
  std::shared_ptr<const Lecture> facts_of;  ///< its printed facts are compared first; null for none
  Index batch = 0;                          ///< the item of the batch that is looked at

  friend bool operator==(const Task&, const Task&) = default;
};

struct Outcome {
  std::shared_ptr<const Trace> trace;  ///< null where there are problems
  TraceSummary summary;                ///< whole where it was computed beside the caller; else what was known already
  std::vector<FactResult> facts;       ///< of the task's lecture
  std::vector<TensorId> recomputed;    ///< what was made anew
  double seconds = 0;
  std::vector<Problem> problems;
  bool superseded = false;  ///< another task was started since
};

/// What becomes of the task under way when another one is started.
enum class Meanwhile : std::uint8_t {
  stop,    ///< it is stopped, and its outcome dropped
  finish,  ///< it comes first, and its outcome is handed out as superseded
};

/// Computes one task at a time, on the caller's thread or beside it. Everything but the destructor returns at once,
/// except perform() and wait(), and start() where no thread can start. What is handed out is immutable, so that nothing
/// is shared that changes. Whatever goes wrong with a task is among the problems of its outcome.
class Worker {
 public:
  Worker(std::int64_t memory_limit, std::shared_ptr<Threads> threads);
  /// Stops what is under way and waits for its end.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Nothing under way: perform() may be called.
  bool idle() const;
  /// About how long the task would take, with what the engine still has from the last one. idle() must hold.
  double estimated_seconds(const Task& task) const;
  /// On this thread. Drops what was started before.
  Outcome perform(const Task& task);

  /// Beside the caller, in place of any task that still waits.
  void start(Task task, Meanwhile meanwhile = Meanwhile::stop);
  /// Drops the task; the work ends as soon as the engine does.
  void stop();
  /// How much of the task is done, from 0 to 1.
  double progress() const;
  /// The outcome of the last started task, or of one before it that was to finish; once, when it is there.
  std::optional<Outcome> take();
  /// Returns when the last started task is done or dropped, or after so many seconds.
  void wait(double seconds);
  /// Called where the task was computed whenever an outcome is there; no longer once this returns with another one. It
  /// must not throw.
  void set_wake(std::function<void()> wake);

 private:
  /// What there is to say about a trace, besides its numbers.
  using Summarize = std::function<TraceSummary(const Trace&)>;
  Outcome outcome_of(const Task& task, const Progress& progress, const Summarize& summarize);
  void work_off();

  std::shared_ptr<Threads> threads_;
  Engine engine_;                      ///< used by whoever works: the job while it is busy, else the caller
  std::shared_ptr<const Trace> last_;  ///< what the engine holds; the same holds
  TraceSummary summary_;               ///< of that; the same holds
  mutable std::mutex mutex_;           ///< guards what follows
  std::condition_variable changed_;
  std::optional<Task> waiting_;
  std::optional<Outcome> done_;
  std::stop_source current_;  ///< of the task that is waiting or under way
  bool working_ = false;      ///< there is a job, and it looks at what waits before it ends
  bool busy_ = false;         ///< it computes
  double progress_ = 0;
  std::mutex wake_mutex_;
  std::function<void()> wake_;
  std::future<void> job_;  ///< the last one
};

}  // namespace headlight
