// What the edits of setups share: how draws are read, and how draws and masks are made to fit other sizes.
#pragma once

#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// Null for a seed.
inline TensorDraw* tensor_draw(Draw& draw) { return std::get_if<TensorDraw>(&draw); }
inline const TensorDraw* tensor_draw(const Draw& draw) { return std::get_if<TensorDraw>(&draw); }
/// Whether it draws the tensor, or one head's block of it, by its name.
inline bool fills(const TensorDraw& draw, TensorId id) { return draw.target == std::variant<TensorId, PackedQkv>{id}; }
/// Whether it is the packed in-projection, which fills W_q, W_k and W_v.
inline bool is_packed(const TensorDraw& draw) { return std::holds_alternative<PackedQkv>(draw.target); }

template <class Predicate>
void erase_tensor_draws(std::vector<Draw>& draws, Predicate&& predicate) {
  std::erase_if(draws, [&](const Draw& draw) {
    const TensorDraw* tensor = tensor_draw(draw);
    return tensor != nullptr && predicate(*tensor);
  });
}

/// A draw of the whole tensor.
Draw whole(TensorId id, Distribution distribution);
/// A random draw needs a seed before it: seed 0, where there is none.
void ensure_seed(Setup& setup);
/// Draws of heads that are gone are dropped.
void drop_head_draws(Setup& setup);
/// Where every head of `before` was drawn on its own, each new head is drawn last and as the last of those was.
void add_head_draws(Setup& setup, const Setup& before);
/// Valid lengths one per batch item, and neither they nor blocked pairs beyond the keys.
void fit_mask(Setup& setup);

}  // namespace headlight
