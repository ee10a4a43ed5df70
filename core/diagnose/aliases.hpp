// What people call the tensors of attention.
#pragma once

#include <string_view>
#include <vector>

#include "core/model/names.hpp"

namespace headlight {

/// The tensors that an array of this name may be, most likely first: {Q, Q_heads} for "queries", {scores,
/// masked_scores} for "attn_scores". Only letters and digits count, and case does not, except that our own names ("Y")
/// are tried first as they are. The part before a point may be the path of a module. Empty for an unknown name.
std::vector<TensorId> tensors_called(std::string_view name);

}  // namespace headlight
