// Whether the values of a setup fit its tensors, and with which sizes they would.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/problem.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// What would make an array of this shape fit, as it is written behind its name: ".T", "[0:768]", "[:, 0:768].T"; empty
/// where nothing simple does.
std::string remedy(const Shape& shape, const Shape& wanted);

/// Why numbers of this shape cannot fill the tensor or the part of it, with its key: the setup has no such tensor, the
/// part is outside, the shape does not fit. nullopt if they can, and if the setup's sizes are impossible.
std::optional<Problem> misfit(const Setup& setup, TensorId tensor, const ArrayPart& part, const Shape& numbers);

/// Adds what is wrong with the values to `findings`: tensors that the setup does not have, shapes that do not fit, with
/// the transposition or the split that would, parts outside of their tensors or on top of each other, numbers that are
/// not finite.
void check_values(Findings& findings, const Setup& setup);

/// The last of these alone: all that an edit can break that gives other numbers in the places of others.
void check_finite(Findings& findings, const Setup& setup);

/// An array that is to fill a whole tensor.
struct ArrayForTensor {
  TensorId tensor = TensorId::X;
  Shape shape;  ///< as the array has it, with or without the batch
};

/// The setup's sizes with the fewest changes that make all these arrays fit. The number of heads is the nearest one
/// that divides the columns of the queries and gives keys and values of the arrays' width whole heads. d_head, d_out
/// and d_source are given where they differ from what follows d_model. nullopt if no sizes make them fit.
std::optional<Sizes> fitting_sizes(const Setup& setup, std::span<const ArrayForTensor> arrays);

/// The sizes of `to` that differ from the setup's: {"query_length", 3}, {"d_model", 6}.
std::vector<std::pair<std::string_view, Index>> changed_sizes(const Setup& setup, const Sizes& to);

}  // namespace headlight
