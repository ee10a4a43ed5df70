// How the edits read the list of draws.
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

}  // namespace headlight
