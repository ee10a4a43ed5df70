// Products head by head, for the backward passes of `multiply` and `mix`.
#pragma once

#include "core/compute/workspace.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// result[b,h] = left[b,h] @ right[b, the key and value head of h]: (rows, n) @ (n, columns) for every query head.
/// `right` has one matrix for each key and value head. The rows of `result` are contiguous.
void multiply_heads(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right, Tensor& result);

/// result[b,g] = Σ left[b,h]ᵀ @ right[b,h] over the query heads h that share the key and value head g. (batch, head,
/// query, key) and (batch, head, query, d_head) -> (batch, kv_head, key, d_head)
void add_up_heads(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right, Tensor& result);

}  // namespace headlight
