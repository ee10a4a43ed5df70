// Mistakes in splitting the heads, and in sharing key and value heads among query heads.
#include <vector>

#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

using enum TensorId;

Index heads_of(const Attempt& attempt) {
  return info(attempt.at).has_kv_heads() ? attempt.setup().kv_heads() : attempt.setup().sizes.heads;
}

const Tensor& joined(Attempt& attempt) { return attempt[operand_tensors(attempt.at, attempt.setup()).front()]; }

/// (batch, position, heads · d_head), cut into (batch, head, position, d_head) as the numbers are in memory.
std::optional<Tensor> split_without_transpose(Attempt& attempt) {
  if (attempt.variant > 0) return std::nullopt;
  const Tensor& all = joined(attempt);
  const Shape& shape = all.shape();
  if (attempt.at == concat) return reshaped(all, {shape[0], shape[2], shape[1] * shape[3]});  // and joined so again
  return reshaped(all, {all.shape()[0], heads_of(attempt), all.shape()[1], attempt.setup().d_head()});
}

/// Head h takes the features h, h + heads, h + 2 heads, ...
std::optional<Tensor> split_interleaved(Attempt& attempt) {
  if (attempt.variant > 0) return std::nullopt;
  const Tensor& all = joined(attempt);
  const Shape parts{all.shape()[0], all.shape()[1], attempt.setup().d_head(), heads_of(attempt)};
  return reshaped(all, parts).transposed(1, 3).transposed(2, 3).contiguous();
}

/// Every head is the first one, or the last one.
std::optional<Tensor> heads_shared(Attempt& attempt) {
  const Tensor right = attempt.computed();
  const Index heads = right.shape()[1];
  if (attempt.variant > 1 || attempt.setup().sizes.heads == 1) return std::nullopt;
  const std::vector<Index> order(static_cast<std::size_t>(heads), attempt.variant == 0 ? 0 : heads - 1);
  attempt.said = attempt.variant == 0 ? ": the first" : ": the last";
  return chosen_heads(right, order);
}

/// Query head h reads key head h % kv_heads, as after np.tile, instead of h // group, as after np.repeat.
Tensor tiled(const Tensor& kv_heads, Index heads) {
  std::vector<Index> order;
  for (Index head = 0; head < heads; ++head) order.push_back(head % kv_heads.shape()[1]);
  return chosen_heads(kv_heads, order);
}

std::optional<Tensor> kv_heads_tiled(Attempt& attempt) {
  const Index heads = attempt.setup().sizes.heads;
  if (attempt.variant > 0 || attempt.setup().kv_heads() == heads) return std::nullopt;
  if (info(attempt.at).has_kv_heads()) {  // theirs are repeated already
    if (attempt.given != attempt.at || attempt.theirs.values.shape()[1] != heads) return std::nullopt;
    return tiled(attempt.computed(), heads);
  }
  Tensor& shared = attempt[operand_at(stage_of(attempt.at), Operand::Slot::right, attempt.setup())->tensor];
  if (shared.shape()[1] == heads) return std::nullopt;
  shared = tiled(shared, heads);
  return attempt.computed();
}

}  // namespace

std::vector<Mistake> split_mistakes() {
  return {
      {.name = "split_without_transpose",
       .words = "the heads are split by one reshape, without a transpose: a head gets whole positions, not features",
       .at = {Q_heads, K_heads, V_heads},
       .replay = split_without_transpose,
       .also = {concat}},
      {.name = "split_interleaved",
       .words = "head h takes every heads-th feature instead of d_head neighbouring ones",
       .at = {Q_heads, K_heads, V_heads},
       .replay = split_interleaved},
      {.name = "heads_shared",
       .words = "all heads are the same one, as after [head] * heads, which has one module many times",
       .at = {Q_heads, K_heads, V_heads},
       .replay = heads_shared,
       .everywhere = true},
      {.name = "kv_heads_tiled",
       .words = "the key and value heads are tiled (0, 1, 0, 1) instead of repeated (0, 0, 1, 1)",
       .at = {K_heads, V_heads, dot_products, context},
       .replay = kv_heads_tiled},
  };
}

}  // namespace headlight
