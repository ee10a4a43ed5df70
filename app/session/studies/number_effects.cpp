#include "app/session/studies/number_effects.hpp"

#include "app/session/studies/comparison.hpp"
#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"

namespace headlight {

std::vector<NumberEffect> number_effects(const std::shared_ptr<Threads>& threads, const Setup& without,
                                         const Trace& with, const std::stop_token& stop) {
  const auto before = compute_trace(without, default_memory_limit, threads);
  std::vector<NumberEffect> effects;
  for (const TensorComparison& one : compare(*threads, *before, with, stop)) {
    if (one.where && !is_drawn(one.tensor, with.setup))
      effects.push_back({*one.where, before->value(*one.where), with.value(*one.where)});
  }
  return effects;
}

}  // namespace headlight
