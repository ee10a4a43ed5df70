// Runs the engine, on another thread if a frame must not wait for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/session/state/checked_work.hpp"
#include "app/session/state/lesson_state.hpp"
#include "app/session/studies/trace_summary.hpp"
#include "core/compute/threads.hpp"
#include "core/engine/engine.hpp"
#include "core/lecture/check.hpp"
#include "core/model/problem.hpp"

namespace headlight {

/// An unexpected exception in words for the user: "not enough free memory", its message, or "internal error" if it has
/// none.
std::string words_of(const std::exception_ptr& thrown);

/// Why a setup cannot be computed, as far as that is known in advance: it is invalid, or its trace exceeds the limit
/// (bytes). Empty if there is no known reason. `valid` is a setup that has been computed; null: none is known.
std::vector<Problem> refusals(const Setup& setup, std::int64_t memory_limit, const Setup* valid = nullptr);

/// A setup to compute, and what it is shown with.
struct Task {
  Setup setup;
  std::shared_ptr<const Lecture> facts_of = {};  ///< its printed facts are compared first; null: none
  Index batch = 0;                               ///< the shown batch item
  std::vector<Setup> beside = {};                ///< computed too: to compare with, and what words are about
  std::shared_ptr<const Step> mistake_of = {};   ///< every work with this step's mistake is computed too; null: none

  friend bool operator==(const Task&, const Task&) = default;
};

/// The same for everything that a task computes.
std::vector<Problem> refusals(const Task& task, std::int64_t memory_limit, const Setup* valid);

struct ComputedModel {
  ModelTrace model;                                     ///< all layers
  std::shared_ptr<const WorkWithMistake> with_mistake;  ///< null if none is wanted, or if it changes nothing
};

struct Outcome {
  std::shared_ptr<const Trace> trace;    ///< of the layer that is shown; null if there are problems
  ComputedModel shown;                   ///< what the task is about
  std::vector<ComputedModel> beside;     ///< in the order of the task
  std::shared_ptr<const Course> course;  ///< of its training; null without a task
  TraceSummary summary;                  ///< complete if computed on the worker's thread, else partial
  std::vector<FactResult> facts;         ///< results for the lecture of the task
  std::vector<TensorId> recomputed;      ///< the tensors that were recomputed
  double seconds = 0;
  std::vector<Problem> problems;
  bool superseded = false;  ///< another task has been started since

  /// What was computed of a setup; null if that was not asked for.
  const ComputedModel* of(const Setup& setup) const;
};

/// How to treat the running task when another is started.
enum class Meanwhile : std::uint8_t {
  stop,    ///< stop it and drop its outcome
  finish,  ///< finish it first, and return its outcome as superseded
};

/// Computes one task at a time, on the caller's thread or beside it. All functions return at once, except perform(),
/// wait(), the destructor, start() if no thread can be started, and take() if it works in slices. Results are
/// immutable, so threads share no mutable state. All errors of a task are among the problems of its outcome.
class Worker {
 public:
  Worker(std::int64_t memory_limit, std::shared_ptr<Threads> threads);
  /// Stops the running task and waits for its end.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Whether no task is running, so that perform() may be called.
  bool idle() const;
  /// An estimate of the task's duration, considering what the engine can reuse from the last one. idle() must hold.
  double estimated_seconds(const Task& task) const;
  /// Runs the task on this thread. Drops tasks that were started before.
  Outcome perform(const Task& task);

  /// From now on no other thread is used: each take() works for about `seconds`, and `wake` asks for the next one.
  void work_in_slices(double seconds) { slice_ = seconds; }

  /// Runs the task on another thread, and replaces any task that still waits.
  void start(Task task, Meanwhile meanwhile = Meanwhile::stop);
  /// Drops the task; the work ends as soon as the engine does.
  void stop();
  /// How much of the task is done, from 0 to 1.
  double progress() const;
  /// The outcome of the last started task, or of an earlier one that was to be finished. It is returned once, when it
  /// is ready.
  std::optional<Outcome> take();
  /// Returns when the last started task is done or dropped, or after `seconds`.
  void wait(double seconds);
  /// `wake` is called on the thread that computed the task whenever an outcome or the next slice is ready. After
  /// another set_wake() returns, the old function is no longer called. It must not throw.
  void set_wake(std::function<void()> wake);

 private:
  /// Computes the summary of a trace.
  using Summarize = std::function<TraceSummary(const Trace&)>;
  /// A task, and what of it is done.
  struct Begun {
    Task task;
    std::stop_token stop = {};
    Outcome outcome = {};
    std::size_t checked = 0;  ///< parts of the lecture
    std::shared_ptr<const Trace> trace = {};
    std::optional<Engine> beside = {};  ///< at work on what the task needs besides its trace
  };
  void go_on(Begun& begun, const Progress& progress, const Summarize& summarize);
  void work_off(const std::function<bool()>& pauses = {});
  void work_for(double seconds);
  bool quiet() const;
  void wake();

  std::int64_t memory_limit_;
  std::shared_ptr<Threads> threads_;
  Engine engine_;                      ///< used by the job while it is busy, else by the caller
  std::shared_ptr<const Trace> last_;  ///< the engine's trace; guarded like engine_
  TraceSummary summary_;               ///< of that trace; guarded like engine_
  std::optional<Begun> begun_;         ///< what work_off() is at; guarded like engine_
  std::optional<double> slice_;        ///< seconds
  mutable std::mutex mutex_;           ///< guards the members below
  std::condition_variable changed_;
  std::optional<Task> waiting_;
  std::optional<Outcome> done_;
  std::stop_source current_;  ///< of the waiting or running task
  bool working_ = false;      ///< there is a job, and it checks for waiting tasks before it ends
  bool busy_ = false;         ///< it is computing
  double progress_ = 0;
  std::mutex wake_mutex_;
  std::function<void()> wake_;
  std::future<void> job_;  ///< the last one
};

}  // namespace headlight
