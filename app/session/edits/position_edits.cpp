#include "app/session/edits/position_edits.hpp"

#include <algorithm>

#include "app/session/edits/draw_edits.hpp"
#include "app/session/edits/tensor_draws.hpp"

namespace headlight {
namespace {

void forget_table(Setup& setup) {
  erase_tensor_draws(setup.random.draws, [](const TensorDraw& draw) { return fills(draw, TensorId::P); });
  const Values given = setup.values;
  for (const GivenValue& value : given.entries())
    if (value.tensor == TensorId::P) setup.values.erase(value.tensor, value.part);
}

}  // namespace

Setup with_encoding(const Setup& setup, Encoding encoding) {
  Setup edited = setup;
  edited.position.encoding = encoding;
  if (encoding != Encoding::learned) {
    forget_table(edited);
  } else if (!edited.fills(TensorId::P)) {
    ensure_seed(edited);
    edited.random.draws.push_back(whole(TensorId::P, Distribution::normal));
  }
  return edited;
}

Setup with_ablated(const Setup& setup, Index head, bool ablated) {
  Setup edited = setup;
  std::vector<Index>& heads = edited.attention.ablated_heads;
  std::erase(heads, head);
  if (ablated) heads.push_back(head);
  std::ranges::sort(heads);
  return edited;
}

}  // namespace headlight
