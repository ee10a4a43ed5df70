// The controls in the first line of views: a tensor, a batch item, the order of heads.
#pragma once

#include <span>
#include <string_view>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/names.hpp"

namespace headlight {

/// A drop-down list of tensors; choosing one selects it. `shown` is the tensor that the closed list names.
void draw_tensor_choice(ViewContext& context, const Rect& r, std::span<const TensorId> tensors, TensorId shown);

inline constexpr float batch_choice_width = 192;
/// "batch item − 0 + of 32"; draws nothing if the batch has one item.
void draw_batch_choice(ViewContext& context, const Rect& r);

/// "Order by index, entropy, ...": how the heads are sorted. "Order by" is left out unless `r` is wider than 400.
void draw_order_choice(ViewContext& context, Rect r);

/// The control of a choice of the display, by the name of its entry.
void draw_display_entry(ViewContext& context, const Rect& r, std::string_view name);

}  // namespace headlight
