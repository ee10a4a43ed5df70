// The threads of an engine.
#pragma once

#include <memory>

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

/// A pool of threads that share the tasks of a run. The threads start when they are first needed. One run at a time.
class Threads {
 public:
  /// `count` includes the thread that calls run().
  explicit Threads(unsigned count = available_threads());
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  unsigned count() const { return count_; }

  /// Calls task(0) to task(tasks - 1), each once, in any order and on any thread, including the caller's. Returns when
  /// all are done. A task must not throw. With one thread or one task it is a plain loop.
  void run(Index tasks, TaskRef task);

 private:
  struct Crew;
  unsigned count_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace headlight
