#include "app/session/edits/head_draws.hpp"

#include <algorithm>

#include "app/session/edits/tensor_draws.hpp"

namespace headlight {
namespace {

/// How many heads of the tensor have draws of their own; 0 if it is drawn as a whole.
Index drawn_heads(const std::vector<Draw>& draws, TensorId id) {
  Index heads = 0;
  for (const Draw& draw : draws) {
    const TensorDraw* tensor = tensor_draw(draw);
    if (tensor != nullptr && tensor->head && fills(*tensor, id)) heads = std::max(heads, *tensor->head + 1);
  }
  return heads;
}

Index head_count(TensorId id, const Setup& setup) {
  return info(id).has(Axis::kv_columns) ? setup.kv_heads() : setup.sizes.heads;
}

}  // namespace

void drop_head_draws(Setup& setup) {
  erase_tensor_draws(setup.random.draws, [&](const TensorDraw& draw) {
    const TensorId* id = std::get_if<TensorId>(&draw.target);
    return id != nullptr && draw.head && *draw.head >= head_count(*id, setup);
  });
}

void add_head_draws(Setup& setup, const Setup& before) {
  for (Index head = 0; head < setup.sizes.heads; ++head) {
    for (const Draw& draw : before.random.draws) {
      const TensorDraw* tensor = tensor_draw(draw);
      const TensorId* id = tensor != nullptr && tensor->head ? std::get_if<TensorId>(&tensor->target) : nullptr;
      if (id == nullptr) continue;
      const Index drawn = drawn_heads(before.random.draws, *id);
      const bool is_last = *tensor->head == drawn - 1 && drawn == head_count(*id, before);
      if (!is_last || head < drawn || head >= head_count(*id, setup)) continue;
      TensorDraw added = *tensor;
      added.head = head;
      setup.random.draws.emplace_back(added);
    }
  }
}

}  // namespace headlight
