// The threads of the program.
#pragma once

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/model/shape.hpp"

namespace headlight {

/// The number of processors that this program may use, or the number in OMP_NUM_THREADS if that is set.
unsigned available_threads();

/// A reference to a callable that takes the number of a task; the callable must outlive the reference.
class TaskRef {
 public:
  template <class Task>
  TaskRef(const Task& task)
      : task_(&task), call_([](const void* it, Index i) { (*static_cast<const Task*>(it))(i); }) {}
  void operator()(Index i) const { call_(task_, i); }

 private:
  const void* task_;
  void (*call_)(const void* task, Index i);
};

/// Cells that one thread has read before a second one has woken up.
constexpr Index cells_worth_threads = Index{1} << 18;

/// Owns every thread of the program except the first: some that share short tasks, and one for each job that runs
/// beside its caller. The program makes one of these and passes it to everything that computes; it must outlive them.
/// Any thread may call any member. Threads start when they are first needed. If one cannot start (no memory, a limit of
/// the system, a system without threads), the other threads do the work, or else the caller: the results are the same.
class Threads {
 public:
  using Work = std::function<void()>;
  /// Starts a thread that does the work. Throws std::system_error or std::bad_alloc if none can start.
  using Start = std::function<std::thread(Work)>;

  /// `count` includes the caller of run(), and does not count jobs.
  explicit Threads(unsigned count = available_threads(), Start start = start_thread);
  /// Finishes the jobs.
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// Calls task(0) to task(tasks - 1), each once, in any order and on any of the threads; the caller works too. Returns
  /// when all are done. If a task throws, no other one begins, and this throws what the first one threw. With one
  /// thread or one task it is a plain loop.
  void run(Index tasks, TaskRef task);
  /// The same for tasks that read so many cells together. If there are few cells, the caller reads them alone.
  void run_over(Index cells, Index tasks, TaskRef task);

  /// Calls work() on another thread. The future gives what it returns or throws, and does not wait when it is
  /// destroyed. What the work holds is gone when the future is ready: a job may hold these threads, and who has waited
  /// for it may destroy them. If no thread can start, the work is done when this returns.
  template <class Job>
  auto beside(Job work) -> std::future<std::invoke_result_t<Job&>> {
    // A std::function must be copyable, which a promise is not.
    const auto job = std::make_shared<Promised<Job>>(std::move(work));
    auto result = job->promise.get_future();
    begin([job] { job->keep(); });
    return result;
  }

 private:
  /// A job and the promise of its result. A std::packaged_task would keep the job longer than the promise.
  template <class Job>
  struct Promised {
    using Result = std::invoke_result_t<Job&>;
    explicit Promised(Job job) : work(std::move(job)) {}

    void keep() try {
      if constexpr (std::is_void_v<Result>) {
        (*work)();
        work.reset();
        promise.set_value();
      } else {
        Result result = (*work)();
        work.reset();
        promise.set_value(std::move(result));
      }
    } catch (...) {
      work.reset();
      promise.set_exception(std::current_exception());
    }

    std::optional<Job> work;
    std::promise<Result> promise;
  };

  static std::thread start_thread(Work work) { return std::thread(std::move(work)); }
  void begin(Work work);

  class Pool;
  unsigned count_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace headlight
