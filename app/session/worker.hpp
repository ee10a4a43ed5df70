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

#include "app/session/check/checked_work.hpp"
#include "app/session/studies/trace_summary.hpp"
#include "core/compute/threads.hpp"
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
  std::shared_ptr<const Lecture> facts_of = {};  ///< compare its printed facts first; null: none
  Index batch = 0;                               ///< the batch item that is looked at
  std::optional<Setup> reference = {};           ///< compute this setup too, to compare with; none if there is no need
  std::shared_ptr<const Step> mistake_of = {};   ///< make the work with this step's mistake too; null: none

  friend bool operator==(const Task&, const Task&) = default;
};

/// The same for all that a task computes.
std::vector<Problem> refusals(const Task& task, std::int64_t memory_limit);

struct Outcome {
  std::shared_ptr<const Trace> trace;      ///< null if there are problems
  std::shared_ptr<const Course> course;    ///< of its training; null without a task
  TraceSummary summary;                    ///< complete if computed on the worker's thread; else what was known
  std::vector<FactResult> facts;           ///< results for the lecture of the task
  std::vector<TensorId> recomputed;        ///< the tensors that were computed anew
  std::shared_ptr<const Trace> reference;  ///< null if the task asks for none
  std::shared_ptr<const WorkWithMistake>
      of_step;  ///< null if the task asks for none, and if the mistake changes nothing
  double seconds = 0;
  std::vector<Problem> problems;
  bool superseded = false;  ///< another task has been started since
};

/// What happens to the running task when another is started.
enum class Meanwhile : std::uint8_t {
  stop,    ///< it is stopped and its outcome dropped
  finish,  ///< it is finished first, and its outcome returned as superseded
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

  /// Whether no task is running, so that perform() may be called.
  bool idle() const;
  /// An estimate of the task's duration, given what the engine can keep from the last one. idle() must hold.
  double estimated_seconds(const Task& task) const;
  /// On this thread. Drops what was started before.
  Outcome perform(const Task& task);

  /// Beside the caller, in place of any task that still waits.
  void start(Task task, Meanwhile meanwhile = Meanwhile::stop);
  /// Drops the task; the work ends as soon as the engine does.
  void stop();
  /// How much of the task is done, from 0 to 1.
  double progress() const;
  /// The outcome of the last started task, or of an earlier one that was to be finished. Returned once, when it is
  /// ready.
  std::optional<Outcome> take();
  /// Returns when the last started task is done or dropped, or after `seconds`.
  void wait(double seconds);
  /// Called where the task was computed whenever an outcome is there; no longer once this returns with another one. It
  /// must not throw.
  void set_wake(std::function<void()> wake);

 private:
  /// What there is to say about a trace, besides its numbers.
  using Summarize = std::function<TraceSummary(const Trace&)>;
  Outcome outcome_of(const Task& task, const Progress& progress, const Summarize& summarize);
  void work_off();

  std::int64_t memory_limit_;
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
