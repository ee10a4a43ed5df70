#include "app/session/worker.hpp"

#include <chrono>
#include <cmath>
#include <new>
#include <utility>

#include "core/compute/progress.hpp"
#include "core/engine/cost.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// Performs a task. If it cannot be computed, the outcome holds the problems; if it is stopped, Stopped is thrown.
Outcome perform_with(Engine& engine, const Task& task, const Progress& progress) {
  Outcome outcome;
  const auto start = std::chrono::steady_clock::now();
  try {
    if (task.facts_of) outcome.facts = check(*task.facts_of, progress.stop);
    outcome.trace = engine.compute(task.setup, progress);
    outcome.recomputed = engine.recomputed();
  } catch (const InputError& error) {
    outcome.problems = error.problems();
  } catch (const std::bad_alloc&) {
    outcome.problems = {{"", "sizes", "a trace of " + format_bytes(estimate_memory(task.setup).total_bytes),
                         "what this machine has free"}};
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

/// The summary, or an empty one if memory is short: frames can do without it.
TraceSummary summary_if_there_is_room(const Trace& trace, Index batch, const TraceSummary& known,
                                      const std::stop_token& stop) {
  try {
    return summary_of(trace, batch, known, stop);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace

std::vector<Problem> refusals(const Setup& setup, std::int64_t memory_limit) {
  try {
    require_valid(setup);
    require_fits(setup, memory_limit);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

Worker::Worker(std::int64_t memory_limit) : engine_(memory_limit) {}

Worker::~Worker() { stop(); }

bool Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_ && !waiting_;
}

double Worker::estimated_seconds(const Task& task) const {
  double facts = 0;
  if (task.facts_of)
    for (const Part& part : task.facts_of->parts) facts += headlight::estimated_seconds(part.setup);
  return facts + headlight::estimated_seconds(task.setup, last_.get());
}

Outcome Worker::perform(const Task& task) {
  Outcome outcome = perform_with(engine_, task, {});
  if (outcome.trace) {
    last_ = outcome.trace;
    outcome.summary = summary_ = still_known(summary_, *last_);
  }
  return outcome;
}

void Worker::start(Task task, Meanwhile meanwhile) {
  {
    const std::lock_guard lock(mutex_);
    if (meanwhile == Meanwhile::stop || current_.stop_requested()) {
      current_.request_stop();
      current_ = std::stop_source();
      done_.reset();
    }
    if (done_) done_->superseded = true;
    waiting_ = std::move(task);
    if (!busy_ || meanwhile == Meanwhile::stop) progress_ = 0;
  }
  changed_.notify_all();
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& end) { run(end); });
}

void Worker::stop() {
  {
    const std::lock_guard lock(mutex_);
    current_.request_stop();
    waiting_.reset();
    done_.reset();
  }
  changed_.notify_all();
}

double Worker::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

std::optional<Outcome> Worker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, std::nullopt);
}

void Worker::wait(double seconds) {
  std::unique_lock lock(mutex_);
  const auto quiet = [&] { return !busy_ && !waiting_; };
  if (std::isinf(seconds)) changed_.wait(lock, quiet);
  else changed_.wait_for(lock, std::chrono::duration<double>(seconds), quiet);
}

void Worker::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(wake_mutex_);
  wake_ = std::move(wake);
}

void Worker::run(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, end, [&] { return waiting_.has_value(); })) {
    const Task task = *std::exchange(waiting_, std::nullopt);
    const std::stop_token stop = current_.get_token();
    busy_ = true;
    progress_ = 0;
    lock.unlock();
    const auto report = [&](double fraction) {
      const std::lock_guard guard(mutex_);
      if (!stop.stop_requested()) progress_ = fraction;
    };
    std::optional<Outcome> outcome;
    try {
      outcome = perform_with(engine_, task, {stop, report});
      if (outcome->trace) {
        last_ = outcome->trace;
        outcome->summary = summary_ = summary_if_there_is_room(*last_, task.batch, summary_, stop);
      }
    } catch (const Stopped&) {
      // The task was stopped, so its outcome is dropped.
    }
    lock.lock();
    busy_ = false;
    const bool wanted = outcome && !stop.stop_requested();
    if (wanted) {
      outcome->superseded = waiting_.has_value();
      done_ = std::move(outcome);
    }
    lock.unlock();
    changed_.notify_all();
    if (wanted) {
      const std::lock_guard guard(wake_mutex_);
      if (wake_) wake_();
    }
    lock.lock();
  }
}

}  // namespace headlight
