// How the edits read the list of draws.
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

}  // namespace headlight
