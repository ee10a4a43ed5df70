#include "app/session/worker.hpp"

#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#include "core/compute/workspace.hpp"
#include "core/engine/cost.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/checks.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// Why a task could not be computed.
std::vector<Problem> problems_of(const std::exception_ptr& thrown, const Task& task) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    return error.problems();
  } catch (const std::bad_alloc&) {
    return {{"", "sizes", "a trace of " + format_bytes(estimate_memory(task.setup).total_bytes),
             "what this machine has free"}};
  } catch (...) {
    return {{"computing", "", words_of(thrown), "no error"}};
  }
}

/// Empty if memory is short, because frames can do without it.
TraceSummary summary_if_there_is_room(Threads& threads, const Trace& trace, Index batch, const TraceSummary& known,
                                      const std::stop_token& stop) {
  try {
    return summary_of(threads, trace, batch, known, stop);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace

std::string words_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return "not enough free memory";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "internal error";
  }
}

std::vector<Problem> refusals(const Setup& setup, std::int64_t memory_limit) {
  try {
    require_valid(setup);
    require_fits(setup, memory_limit);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::vector<Problem> refusals(const Task& task, std::int64_t memory_limit) {
  auto found = refusals(task.setup, memory_limit);
  if (found.empty() && task.reference) found = refusals(*task.reference, memory_limit);
  if (found.empty() && task.answered) found = refusals(*task.answered, memory_limit);
  return found;
}

Worker::Worker(std::int64_t memory_limit, std::shared_ptr<Threads> threads)
    : memory_limit_(memory_limit), threads_(std::move(threads)), engine_(memory_limit, threads_) {}

Worker::~Worker() {
  stop();
  if (job_.valid()) job_.wait();
}

bool Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_ && !waiting_;
}

double Worker::estimated_seconds(const Task& task) const {
  double facts = 0;
  if (task.facts_of)
    for (const Part& part : task.facts_of->parts) facts += headlight::estimated_seconds(part.setup);
  double beside = 0;
  if (task.reference) beside += headlight::estimated_seconds(*task.reference);
  if (task.answered) beside += headlight::estimated_seconds(*task.answered);
  if (task.of_words) beside += headlight::estimated_seconds(*task.of_words);
  if (task.mistake_of) beside += headlight::estimated_seconds(task.setup);
  return facts + beside + headlight::estimated_seconds(task.setup, last_.get());
}

/// A stopped task has no outcome: it has to throw Stopped.
Outcome Worker::outcome_of(const Task& task, const Progress& progress, const Summarize& summarize) {
  Outcome outcome;
  const auto start = std::chrono::steady_clock::now();
  try {
    if (task.facts_of) outcome.facts = check(*task.facts_of, progress.stop, threads_);
    const auto trace = engine_.compute(task.setup, progress);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.recomputed = engine_.recomputed();
    last_ = trace;
    outcome.course = engine_.course(progress);
    outcome.summary = summary_ = summarize(*trace);
    if (task.reference)
      outcome.reference = Engine(memory_limit_, threads_).compute(*task.reference, {progress.stop, {}});
    if (task.answered) outcome.answered = Engine(memory_limit_, threads_).compute(*task.answered, {progress.stop, {}});
    if (task.of_words) {
      outcome.of_words.own = Engine(memory_limit_, threads_).compute(*task.of_words, {progress.stop, {}});
      outcome.of_words.yours = work_with_mistake(task.mistake_of.get(), *outcome.of_words.own);
    }
    outcome.of_step = work_with_mistake(task.mistake_of.get(), *trace);
    outcome.trace = trace;
  } catch (const Stopped&) {
    throw;
  } catch (...) {
    outcome.problems = problems_of(std::current_exception(), task);
  }
  return outcome;
}

Outcome Worker::perform(const Task& task) {
  stop();
  wait(std::numeric_limits<double>::infinity());
  return outcome_of(task, {}, [&](const Trace& trace) { return still_known(summary_, trace); });
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
    if (working_) return;
    working_ = true;
  }
  if (job_.valid()) job_.wait();  // the one before is about to end
  try {
    job_ = threads_->beside([this] { work_off(); });
  } catch (const std::bad_alloc&) {
    work_off();  // if there is no memory for a job, it is done here
  }
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

void Worker::work_off() {
  std::unique_lock lock(mutex_);
  while (waiting_) {
    const Task task = *std::exchange(waiting_, std::nullopt);
    const std::stop_token stop = current_.get_token();
    busy_ = true;
    progress_ = 0;
    lock.unlock();
    const auto report = [&](double fraction) {
      const std::lock_guard guard(mutex_);
      if (!stop.stop_requested()) progress_ = fraction;
    };
    const auto summarize = [&](const Trace& trace) {
      return summary_if_there_is_room(*threads_, trace, task.batch, summary_, stop);
    };
    std::optional<Outcome> outcome;
    try {
      outcome = outcome_of(task, {stop, report}, summarize);
    } catch (...) {
      // It was stopped, so the result is no longer needed; or there is not even memory for an error message.
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
  working_ = false;
}

}  // namespace headlight
