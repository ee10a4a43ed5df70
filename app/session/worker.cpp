#include "app/session/worker.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <utility>

#include "core/compute/workspace.hpp"
#include "core/engine/cost.hpp"
#include "core/setup/validity.hpp"
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

/// Adds the time of its life.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

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

std::vector<Problem> refusals(const Setup& setup, std::int64_t memory_limit, const Setup* valid) {
  try {
    require_valid(setup, {}, valid);
    require_fits(setup, memory_limit);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::vector<Problem> refusals(const Task& task, std::int64_t memory_limit, const Setup* valid) {
  auto found = refusals(task.setup, memory_limit, valid);
  for (const Setup& setup : task.beside)
    if (found.empty()) found = refusals(setup, memory_limit, valid);
  return found;
}

const ComputedModel* Outcome::of(const Setup& setup) const {
  const auto is_of = [&](const ComputedModel& one) { return !one.model.empty() && one.model.first().setup == setup; };
  if (is_of(shown)) return &shown;
  const auto found = std::ranges::find_if(beside, is_of);
  return found == beside.end() ? nullptr : &*found;
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
  double beside = task.mistake_of ? headlight::estimated_seconds(task.setup) : 0;
  for (const Setup& setup : task.beside) beside += headlight::estimated_seconds(setup);
  return facts + beside + headlight::estimated_seconds(task.setup, last_.get());
}

/// Does what is left of a task. A stopped task has no outcome: this throws Stopped. It throws that for a pause too; the
/// next call goes on then.
void Worker::go_on(Begun& begun, const Progress& progress, const Summarize& summarize) {
  const Task& task = begun.task;
  Outcome& outcome = begun.outcome;
  const auto beside = [&](const Setup& setup, std::int64_t limit) {
    if (!begun.beside) begun.beside.emplace(limit, threads_);
    begun.beside->compute(setup, {progress.stop, {}, progress.pauses});
    ModelTrace model = begun.beside->model();
    begun.beside.reset();
    return model;
  };
  try {
    {
      const Stopwatch watch(outcome.seconds);
      while (task.facts_of && begun.checked < task.facts_of->parts.size()) {
        const Part& part = task.facts_of->parts[begun.checked];
        std::ranges::move(check(part, beside(part.setup, default_memory_limit)), std::back_inserter(outcome.facts));
        ++begun.checked;
      }
      if (!begun.trace) {
        begun.trace = last_ = engine_.compute(task.setup, progress);
        outcome.shown.model = engine_.model();
        outcome.recomputed = engine_.recomputed();
      }
    }
    outcome.course = engine_.course(progress);
    outcome.summary = summary_ = summarize(*begun.trace);
    const auto with_mistake = [&](const ModelTrace& model) {
      return work_with_mistake(task.mistake_of.get(), model.first(), progress.stop);
    };
    while (outcome.beside.size() < task.beside.size()) {
      ModelTrace model = beside(task.beside[outcome.beside.size()], memory_limit_);
      auto work = with_mistake(model);
      outcome.beside.push_back({std::move(model), std::move(work)});
    }
    outcome.shown.with_mistake = with_mistake(outcome.shown.model);
    outcome.trace = begun.trace;
  } catch (const Stopped&) {
    throw;
  } catch (...) {
    outcome.problems = problems_of(std::current_exception(), task);
  }
}

Outcome Worker::perform(const Task& task) {
  stop();
  wait(std::numeric_limits<double>::infinity());
  Begun begun{task};
  go_on(begun, {}, [&](const Trace& trace) { return still_known(summary_, trace); });
  return std::move(begun.outcome);
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
    if (!slice_ && std::exchange(working_, true)) return;
  }
  if (slice_) return wake();
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
    if (slice_) {
      begun_.reset();
      busy_ = false;
    }
  }
  changed_.notify_all();
}

double Worker::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

std::optional<Outcome> Worker::take() {
  if (slice_) work_for(*slice_);
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, std::nullopt);
}

bool Worker::quiet() const { return !busy_ && !waiting_; }

void Worker::wait(double seconds) {
  if (slice_) return work_for(seconds);
  std::unique_lock lock(mutex_);
  const auto is_quiet = [&] { return quiet(); };
  if (std::isinf(seconds)) changed_.wait(lock, is_quiet);
  else changed_.wait_for(lock, std::chrono::duration<double>(seconds), is_quiet);
}

void Worker::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(wake_mutex_);
  wake_ = std::move(wake);
}

void Worker::wake() {
  const std::lock_guard guard(wake_mutex_);
  if (wake_) wake_();
}

void Worker::work_for(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  work_off([&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >= seconds; });
}

/// Works on the tasks until none is left, or until it is time for a pause.
void Worker::work_off(const std::function<bool()>& pauses) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (begun_ && begun_->stop.stop_requested()) begun_.reset();  // stopped while it paused
    if (!begun_ && !waiting_) break;
    if (!begun_) {
      begun_.emplace(*std::exchange(waiting_, std::nullopt), current_.get_token());
      progress_ = 0;
    }
    const std::stop_token stop = begun_->stop;
    busy_ = true;
    lock.unlock();
    const auto report = [&](double fraction) {
      const std::lock_guard guard(mutex_);
      if (!stop.stop_requested()) progress_ = std::max(progress_, fraction);
    };
    const auto summarize = [&](const Trace& trace) {
      return summary_if_there_is_room(*threads_, trace, begun_->task.batch, summary_, stop);
    };
    bool has_outcome = false;
    try {
      go_on(*begun_, {stop, report, pauses}, summarize);
      has_outcome = true;
    } catch (const Stopped&) {
      if (!stop.stop_requested()) return wake();  // a pause
    } catch (...) {
      // There is not even memory for an error message.
    }
    Outcome outcome = std::move(std::exchange(begun_, std::nullopt)->outcome);
    lock.lock();
    busy_ = false;
    const bool wanted = has_outcome && !stop.stop_requested();
    if (wanted) {
      outcome.superseded = waiting_.has_value();
      done_ = std::move(outcome);
    }
    lock.unlock();
    changed_.notify_all();
    if (wanted) wake();
    lock.lock();
  }
  busy_ = false;
  working_ = false;
}

}  // namespace headlight
