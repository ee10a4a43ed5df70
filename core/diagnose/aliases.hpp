// What people call the tensors of attention.
#pragma once

#include <string_view>
#include <vector>

#include "core/model/names.hpp"

namespace headlight {

/// The tensors that an array of this name may be, most likely first: {Q, Q_heads} for "queries", {scores,
/// masked_scores} for "attn_scores". Case and everything but letters and digits do not count, except that our own names
/// ("Y") come first as they are. What stands before a point
/// may be the path of a module. Empty for a name that says nothing.
std::vector<TensorId> tensors_called(std::string_view name);

}  // namespace headlight
