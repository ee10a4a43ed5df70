#include "app/views/tensors/effect_study.hpp"

#include <memory>
#include <utility>

#include "app/session/edits/own_numbers.hpp"
#include "core/setup/edits.hpp"

namespace headlight {

const NumberEffects* EffectStudy::of(Session& session, const Cell& given) {
  const std::shared_ptr<const Trace> with = session.state().trace;
  const Key key{with->version, given};
  if (const NumberEffects* const known = effects_.known(key)) return known;
  Setup without = with_cell_of(original_values(session), with->setup, given);
  return effects_.of(
      session, key, beside_the_frame,  // it may train a layer
      [with, without = std::move(without), all = session.threads(), limit = session.memory_limit()](
          Threads&, const std::stop_token& stop) { return number_effects(all, without, *with, limit, stop); },
      a_moment);
}

}  // namespace headlight
