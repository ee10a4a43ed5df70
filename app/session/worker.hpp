// The engine, and a thread for what a frame must not wait for.
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
/// except perform() and wait(). What is handed out is immutable, so that nothing is shared that changes.
class Worker {
 public:
  explicit Worker(std::int64_t memory_limit);
  /// Stops what is under way and joins its thread.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Nothing under way: perform() may be called.
  bool idle() const;
  /// About how long the task would take, with what the engine still has from the last one. idle() must hold.
  double estimated_seconds(const Task& task) const;
  /// On this thread. idle() must hold.
  Outcome perform(const Task& task);

  /// On the worker's thread, in place of any task that still waits.
  void start(Task task, Meanwhile meanwhile = Meanwhile::stop);
  /// Drops the task; the thread stops as soon as the engine does.
  void stop();
  /// How much of the task is done, from 0 to 1.
  double progress() const;
  /// The outcome of the last started task, or of one before it that was to finish; once, when it is there.
  std::optional<Outcome> take();
  /// Returns when the last started task is done or dropped, or after so many seconds.
  void wait(double seconds);
  /// Called on the worker's thread whenever an outcome is there; no longer once this returns with another one.
  void set_wake(std::function<void()> wake);

 private:
  void run(const std::stop_token& end);

  Engine engine_;                      ///< used by whoever works: the thread while it is busy, else the caller
  std::shared_ptr<const Trace> last_;  ///< what the engine holds; the same holds
  TraceSummary summary_;               ///< of that; the same holds
  mutable std::mutex mutex_;           ///< guards what follows
  std::condition_variable_any changed_;
  std::optional<Task> waiting_;
  std::optional<Outcome> done_;
  std::stop_source current_;  ///< of the task that is waiting or under way
  bool busy_ = false;
  double progress_ = 0;
  std::mutex wake_mutex_;
  std::function<void()> wake_;
  std::jthread thread_;  ///< starts with the first task; last, so that it ends before what it uses
};

}  // namespace headlight
