#include "core/compute/threads.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace headlight {

unsigned available_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    unsigned count = 0;
    std::from_chars(text, text + std::strlen(text), count);
    if (count > 0) return std::min(count, 256U);
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

namespace {

struct Job {
  Index tasks;
  TaskRef task;
};

}  // namespace

struct Threads::Crew {
  explicit Crew(unsigned count) {
    for (unsigned i = 0; i < count; ++i) threads.emplace_back([this] { wait_and_work(); });
  }

  ~Crew() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
    }
    work_there.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void run(const Job& next_job) {
    {
      const std::lock_guard lock(mutex);
      job = &next_job;
      next_task = 0;
      ++run_number;
    }
    work_there.notify_all();
    take_tasks(next_job);
    std::unique_lock lock(mutex);
    job = nullptr;  // threads that wake up after this find no work
    all_done.wait(lock, [&] { return working == 0; });
  }

  void take_tasks(const Job& current) {
    for (Index i = next_task++; i < current.tasks; i = next_task++) current.task(i);
  }

  void wait_and_work() {
    std::uint64_t last_run = 0;
    std::unique_lock lock(mutex);
    while (true) {
      work_there.wait(lock, [&] { return ending || (job != nullptr && run_number != last_run); });
      if (ending) return;
      last_run = run_number;
      const Job& current = *job;
      ++working;
      lock.unlock();
      take_tasks(current);
      lock.lock();
      if (--working == 0) all_done.notify_one();
    }
  }

  std::mutex mutex;
  std::condition_variable work_there;
  std::condition_variable all_done;
  const Job* job = nullptr;
  std::uint64_t run_number = 0;
  unsigned working = 0;
  bool ending = false;
  std::atomic<Index> next_task = 0;
  std::vector<std::thread> threads;
};

Threads::Threads(unsigned count) : count_(std::max(1U, count)) {}
Threads::~Threads() = default;

void Threads::run(Index tasks, TaskRef task) {
  if (count_ == 1 || tasks <= 1) {
    for (Index i = 0; i < tasks; ++i) task(i);
    return;
  }
  if (crew_ == nullptr) crew_ = std::make_unique<Crew>(count_ - 1);
  crew_->run({tasks, task});
}

}  // namespace headlight
