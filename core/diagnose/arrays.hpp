// Arrays laid out anew: what a mistake makes of a tensor is often the same numbers in another order.
#pragma once

#include <span>

#include "core/model/tensor.hpp"

namespace headlight {

/// The numbers in row-major order and in this precision; the tensor itself where it is so already.
Tensor converted(const Tensor& tensor, Precision precision);

/// The numbers in row-major order, read in another shape of as many elements: NumPy's reshape.
Tensor reshaped(const Tensor& tensor, const Shape& shape);

/// (batch, head, position, width), copied so that the heads of a position are side by side in memory, as
/// Tensor::join_heads needs it. The tensor itself where it is laid out so already.
Tensor side_by_side(const Tensor& heads);

/// (batch, head, position, width) -> the same with heads[order[0]], heads[order[1]], ... as its heads.
Tensor chosen_heads(const Tensor& heads, std::span<const Index> order);

/// K_heads or V_heads with one entry for each of `heads` query heads: neighbours share one.
Tensor repeated_heads(const Tensor& kv_heads, Index heads);

}  // namespace headlight
