// From a setup to a trace, recomputing only what an edit changed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/compute/threads.hpp"
#include "core/compute/workspace.hpp"
#include "core/model/trace.hpp"
#include "core/stages/graph.hpp"

namespace headlight {

struct Course;

/// Keeps the last trace and its draws. For each stage it compares the settings and the input tensors with those of the
/// last trace, and computes the stage only if one of them differs: a temperature edit starts at `scores`, a mask edit
/// at `masked_scores`, a title edit computes nothing.
class Engine {
 public:
  /// Without the program's threads it has some of its own. The numbers of a trace are the same for any number of them.
  explicit Engine(std::int64_t memory_limit = default_memory_limit,
                  std::shared_ptr<Threads> threads = std::make_shared<Threads>());
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// Throws InputError if the setup is invalid or needs more memory than the limit; then nothing is allocated and the
  /// last trace stays. Throws Stopped soon after `progress` asks to stop; the last trace stays then too. After a pause,
  /// the next call goes on with what it shares with this one. cost.hpp estimates how long it takes. Any thread may call
  /// this, but only one at a time. The returned trace never changes, so all threads may read it. It is that of the
  /// layer that the setup is asked about; model() has all layers.
  std::shared_ptr<const Trace> compute(const Setup& setup, const Progress& progress = {});

  /// The traces of all layers that the last compute() made; without any before the first.
  const ModelTrace& model() const;

  /// What is known of the training that the last trace is a state of; null without a task. The same pointer as before
  /// where nothing is new. Throws Stopped as compute() does.
  std::shared_ptr<const Course> course(const Progress& progress = {});

  /// The tensors that the last compute() made anew in any layer, in the order of TensorId.
  const std::vector<TensorId>& recomputed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All layers, without keeping an engine.
ModelTrace compute_model(const Setup& setup, std::int64_t memory_limit = default_memory_limit,
                         std::shared_ptr<Threads> threads = std::make_shared<Threads>());
/// The trace of the layer that the setup is asked about.
std::shared_ptr<const Trace> compute_trace(const Setup& setup, std::int64_t memory_limit = default_memory_limit,
                                           std::shared_ptr<Threads> threads = std::make_shared<Threads>());

}  // namespace headlight
