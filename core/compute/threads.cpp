#include "core/compute/threads.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <vector>

namespace headlight {
namespace {

/// How long a thread that has nothing to do looks for work before it sleeps. Small runs follow each other quickly, as
/// the steps of a training do, and waking up takes longer than doing one.
constexpr auto lookout = std::chrono::microseconds(100);

template <class Come>
void look_for(Come&& come) {
  const auto end = std::chrono::steady_clock::now() + lookout;
  while (!come() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace

unsigned available_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    unsigned count = 0;
    std::from_chars(text, text + std::strlen(text), count);
    if (count > 0) return std::min(count, 256U);
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

class Threads::Pool {
 public:
  explicit Pool(Start start) : start_(std::move(start)) {}

  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    tasks_there_.notify_all();
    job_there_.notify_all();
    for (std::thread& thread : helpers_) thread.join();
    for (std::thread& thread : workers_) thread.join();
  }

  void run(Index tasks, TaskRef task, std::size_t helpers) {
    Run own{task, tasks};
    {
      const std::lock_guard lock(mutex_);
      while (helpers_.size() < helpers && helpers_can_start_)
        helpers_can_start_ = started(helpers_, [this] { help(); });
      own.older = newest_;
      newest_ = &own;
      ++begun_;
    }
    tasks_there_.notify_all();
    take_tasks(own);
    look_for([&] { return own.helpers == 0; });
    {
      std::unique_lock lock(mutex_);
      remove(own);  // threads that wake up after this find no work
      run_left_.wait(lock, [&] { return own.helpers == 0; });
    }
    if (own.thrown) std::rethrow_exception(own.thrown);
  }

  void begin(Work job) {
    {
      const std::lock_guard lock(mutex_);
      if (jobs_.size() < resting_workers_ || started(workers_, [this] { work(); })) {
        jobs_.push_back(std::exchange(job, nullptr));
        job_there_.notify_one();
      }
    }
    if (job) job();
  }

 private:
  /// What one caller of run() has to do. It is on that caller's stack, so that a run asks for no memory.
  struct Run {
    TaskRef task;
    Index tasks;
    std::atomic<Index> next = 0;
    Run* older = nullptr;
    std::atomic<int> helpers = 0;         ///< threads besides the caller that take its tasks
    std::exception_ptr thrown = nullptr;  ///< by the first task that threw
  };

  /// Whether one more thread could start.
  bool started(std::vector<std::thread>& threads, const Work& work) {
    try {
      threads.reserve(threads.size() + 1);  // a thread that runs cannot be dropped
      threads.push_back(start_(work));
      return true;
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {}
    return false;
  }

  void take_tasks(Run& run) {
    try {
      for (Index i = run.next++; i < run.tasks; i = run.next++) run.task(i);
    } catch (...) {
      run.next = run.tasks;
      const std::lock_guard lock(mutex_);
      if (!run.thrown) run.thrown = std::current_exception();
    }
  }

  void remove(const Run& run) {
    Run** link = &newest_;
    while (*link != &run) link = &(*link)->older;
    *link = run.older;
  }

  /// The newest is first: a frame waits for short runs while long ones continue.
  Run* run_with_tasks() const {
    Run* run = newest_;
    while (run != nullptr && run->next >= run->tasks) run = run->older;
    return run;
  }

  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      Run* run = nullptr;
      if (run_with_tasks() == nullptr) {
        const unsigned known = begun_;
        lock.unlock();
        look_for([&] { return begun_ != known; });
        lock.lock();
      }
      tasks_there_.wait(lock, [&] { return ending_ || (run = run_with_tasks()) != nullptr; });
      if (run == nullptr) return;
      ++run->helpers;
      lock.unlock();
      take_tasks(*run);
      lock.lock();
      if (--run->helpers == 0) run_left_.notify_all();
    }
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++resting_workers_;
      job_there_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
      --resting_workers_;
      if (jobs_.empty()) return;
      Work job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;  // destroys what it holds, without the lock
      lock.lock();
    }
  }

  Start start_;
  std::mutex mutex_;
  std::condition_variable tasks_there_;
  std::condition_variable run_left_;
  std::condition_variable job_there_;
  Run* newest_ = nullptr;
  std::atomic<unsigned> begun_ = 0;  ///< runs, so that threads see a new one without the lock
  bool helpers_can_start_ = true;
  std::deque<Work> jobs_;
  std::size_t resting_workers_ = 0;
  bool ending_ = false;
  std::vector<std::thread> helpers_;
  std::vector<std::thread> workers_;
};

Threads::Threads(unsigned count, Start start)
    : count_(std::max(1U, count)), pool_(std::make_unique<Pool>(std::move(start))) {}
Threads::~Threads() = default;

void Threads::run(Index tasks, TaskRef task) {
  if (count_ == 1 || tasks <= 1) {
    for (Index i = 0; i < tasks; ++i) task(i);
    return;
  }
  const auto threads = static_cast<std::size_t>(std::min(tasks, Index{count_}));
  pool_->run(tasks, task, threads - 1);
}

void Threads::run_over(Index cells, Index tasks, TaskRef task) {
  if (cells >= cells_worth_threads) return run(tasks, task);
  for (Index i = 0; i < tasks; ++i) task(i);
}

void Threads::begin(Work work) { pool_->begin(std::move(work)); }

}  // namespace headlight
