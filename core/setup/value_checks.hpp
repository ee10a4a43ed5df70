// Whether the values of a setup fit its tensors.
#pragma once

#include <optional>
#include <string>

#include "core/model/findings.hpp"
#include "core/model/problem.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// The key of a value in messages: "values.X", "values.\"W_v[2,5]\"".
std::string problem_key(TensorId tensor, const ArrayPart& part);

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

}  // namespace headlight
