#include "app/session/edits/task_edits.hpp"

#include <algorithm>

#include "app/session/edits/draw_edits.hpp"
#include "app/session/edits/size_edits.hpp"
#include "app/session/edits/value_edits.hpp"
#include "core/model/offered_setup.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// The features that symbols, answers and one-hot positions need, in whole heads.
Index needed_features(const Setup& setup) {
  const Index symbols = std::max(features_of(setup.task), answers_of(setup.task.name) * setup.task.symbols);
  const Index positions = setup.position.encoding == Encoding::one_hot ? setup.positions() : 0;
  return (symbols + positions + setup.sizes.heads - 1) / setup.sizes.heads * setup.sizes.heads;
}

}  // namespace

Setup with_task(const Setup& setup, TaskName task) {
  if (task == setup.task.name) return setup;
  if (task != TaskName::none) return offered_setup(task);
  Setup edited = setup;
  edited.task = {};
  edited.training = {};
  return with_distribution(edited, TensorId::X, Distribution::normal);
}

Setup with_symbols(const Setup& setup, Index symbols) {
  Setup edited = setup;
  edited.task.symbols = symbols;
  const bool filled = needed_features(setup) == setup.sizes.d_model;
  const Index needed = needed_features(edited);
  return filled || needed > setup.sizes.d_model ? with_d_model(edited, needed) : edited;
}

Setup with_steps(const Setup& setup, Index steps) {
  Setup edited = setup;
  edited.training.steps = std::clamp<Index>(steps, 0, most_steps);
  return edited;
}

Setup going_on_from(const Setup& setup, const Trace& trace) {
  if (trace.learning == nullptr || trace.setup != setup) return setup;
  Setup edited = setup;
  for (const TensorId id : learned_tensors(setup))
    edited = with_array(edited, id, GivenNumbers(trace[id].contiguous()));
  edited.training.steps = 0;
  return edited;
}

}  // namespace headlight
