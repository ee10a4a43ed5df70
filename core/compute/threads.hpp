// The threads of one engine.
#pragma once

#include <memory>

#include "core/model/shape.hpp"

namespace headlight {

/// As many as the machine has for this program; OMP_NUM_THREADS, where it is set, says another number.
unsigned available_threads();

/// A callable that is called with the number of a task; it must live as long as it is used.
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

/// Waiting threads that share out tasks. They start when they are first needed. One run at a time.
class Threads {
 public:
  /// `count` includes the caller of run().
  explicit Threads(unsigned count = available_threads());
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  unsigned count() const { return count_; }

  /// Calls task(0) to task(tasks - 1), each once, in any order and on any of the threads; the caller works too. Returns
  /// when all are done. A task must not throw. With one thread or one task it is a plain loop.
  void run(Index tasks, TaskRef task);

 private:
  struct Crew;
  unsigned count_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace headlight
