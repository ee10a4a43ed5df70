#include "app/session/studies/number_effects.hpp"

#include "app/session/studies/comparison.hpp"
#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"

namespace headlight {

NumberEffects number_effects(const std::shared_ptr<Threads>& threads, const Setup& without, const Trace& with,
                             const std::stop_token& stop) {
  NumberEffects effects{compute_trace(without, default_memory_limit, threads), {}};
  for (const TensorComparison& one : compare(*threads, *effects.before, with, stop)) {
    if (one.where && !is_drawn(one.tensor, with.setup))
      effects.most.push_back({*one.where, effects.before->value(*one.where), with.value(*one.where)});
  }
  return effects;
}

}  // namespace headlight
