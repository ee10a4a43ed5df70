// Helpers that several edits share: they read draws, and adapt draws and masks to other sizes.
#pragma once

#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// The draw of a tensor; null if the draw is a seed.
inline TensorDraw* tensor_draw(Draw& draw) { return std::get_if<TensorDraw>(&draw); }
inline const TensorDraw* tensor_draw(const Draw& draw) { return std::get_if<TensorDraw>(&draw); }
/// Whether the draw names the tensor, and so fills it or one head's block of it.
inline bool fills(const TensorDraw& draw, TensorId id) { return draw.target == std::variant<TensorId, PackedQkv>{id}; }
/// Whether the draw fills the packed in-projection, which is W_q, W_k and W_v.
inline bool is_packed(const TensorDraw& draw) { return std::holds_alternative<PackedQkv>(draw.target); }

template <class Predicate>
void erase_tensor_draws(std::vector<Draw>& draws, Predicate&& predicate) {
  std::erase_if(draws, [&](const Draw& draw) {
    const TensorDraw* tensor = tensor_draw(draw);
    return tensor != nullptr && predicate(*tensor);
  });
}

/// A draw that fills the whole tensor.
Draw whole(TensorId id, Distribution distribution);
/// Adds seed 0 before the first random draw if no seed comes before it.
void ensure_seed(Setup& setup);
/// Removes draws of heads that no longer exist.
void drop_head_draws(Setup& setup);
/// If every head of `before` had its own draw, adds a draw for each new head at the end, with the last head's
/// distribution.
void add_head_draws(Setup& setup, const Setup& before);
/// Makes one valid length per batch item, and limits valid lengths and blocked pairs to the keys that exist.
void fit_mask(Setup& setup);

}  // namespace headlight
