// From a setup to a trace, recomputing only what an edit changed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/compute/progress.hpp"
#include "core/compute/threads.hpp"
#include "core/model/trace.hpp"
#include "core/stages/memory.hpp"

namespace headlight {

/// Keeps the last trace. For each stage it compares the settings and the input tensors with those that made what it
/// holds, and computes from the first difference on: a temperature edit starts at `scores`, a mask edit at
/// `masked_scores`, a title edit computes nothing.
class Engine {
 public:
  /// Without the program's threads it has some of its own. The numbers of a trace are the same for any number of them.
  explicit Engine(std::int64_t memory_limit = default_memory_limit,
                  std::shared_ptr<Threads> threads = std::make_shared<Threads>());
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// Throws InputError where the setup is invalid or its estimate is over the memory limit; nothing is allocated then
  /// and the last trace stays.
  /// Throws Stopped soon after `progress` asks for it; the last trace stays then too. cost.hpp tells beforehand how
  /// long it may take. One thread at a time, whichever; a trace belongs to nobody and may be read by all.
  std::shared_ptr<const Trace> compute(const Setup& setup, const Progress& progress = {});

  /// The tensors that the last compute() made anew, in the order of TensorId.
  const std::vector<TensorId>& recomputed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One trace, without keeping an engine.
std::shared_ptr<const Trace> compute_trace(const Setup& setup, std::int64_t memory_limit = default_memory_limit,
                                           std::shared_ptr<Threads> threads = std::make_shared<Threads>());

}  // namespace headlight
