// Sizes that follow from given arrays: under which setup would they fit?
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// An array that is to fill a whole tensor.
struct ArrayForTensor {
  TensorId tensor = TensorId::X;
  Shape shape;  ///< as the array has it, with or without the batch
};

/// The setup's sizes with the fewest changes that make all these arrays fit. If d_model changes, the number of heads is
/// the nearest one that divides it and gives keys and values of the arrays' width whole heads. nullopt if no sizes make
/// them fit.
std::optional<Sizes> fitting_sizes(const Setup& setup, std::span<const ArrayForTensor> arrays);

/// The sizes of `to` that differ from the setup's: {"query_length", 3}, {"d_model", 6}.
std::vector<std::pair<std::string_view, Index>> changed_sizes(const Setup& setup, const Sizes& to);

}  // namespace headlight
