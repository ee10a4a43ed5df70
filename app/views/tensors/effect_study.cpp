#include "app/views/tensors/effect_study.hpp"

#include <memory>
#include <utility>

#include "app/session/edits/own_numbers.hpp"
#include "core/setup/edits.hpp"

namespace headlight {
namespace {

Index cells_of(const Trace& trace) {
  Index cells = 0;
  for (const Tensor& tensor : trace.tensors) cells += tensor.elements();
  return cells;
}

}  // namespace

const NumberEffects* EffectStudy::of(Session& session, const Cell& given) {
  const std::shared_ptr<const Trace> with = session.state().trace;
  Setup without = with_cell_of(original_values(session), with->setup, given);
  return effects_.of(session, {with->version, given}, cells_of(*with),
                     [with, without = std::move(without), all = session.threads()](
                         Threads&, const std::stop_token& stop) { return number_effects(all, without, *with, stop); });
}

}  // namespace headlight
