// A person's own numbers for inputs, weights and biases: from the arrays of a file or of a printout, and beside those
// that the lecture gives.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnose/report.hpp"
#include "core/formats/arrays/array_file.hpp"
#include "core/model/setup.hpp"

namespace headlight {

class Session;

/// A tensor, and the name of the array that gives it.
using ArrayValue = std::pair<TensorId, std::string>;

/// Which inputs, weights and biases arrays give: those that are called so; else, if there is only one array, the
/// selected tensor. Empty where they give none, or where one of them is called like a tensor that is computed: then
/// they are somebody's work.
std::vector<ArrayValue> values_among(const std::vector<ArrayInfo>& arrays, TensorId selected);

/// Whether one of the arrays is called like a tensor that is computed: then they are somebody's work.
bool are_work(const std::vector<ArrayInfo>& arrays);

/// The setup with arrays of a file as its values. Throws InputError where one cannot be read.
Setup with_arrays_of(const Setup& setup, const std::filesystem::path& file, const std::vector<ArrayValue>& values);

/// The setup with pasted arrays: each for the tensor that it is called like, and one without such a name for the
/// selected one. Throws InputError where that is none that can be given.
Setup with_pasted_arrays(const Setup& setup, const std::vector<GivenArray>& arrays, TensorId selected);

/// The setup with the sizes of its values, where these do not fit it; nullopt where no sizes make them fit, or where
/// something else of the setup speaks against those.
std::optional<Setup> with_sizes_of_values(const Setup& setup);
/// "query_length 3 and d_model 6": the sizes in which a setup differs from another one.
std::string sizes_in_words(const Setup& from, const Setup& to);

/// The values that the person began with: those of the lecture's part, or none.
const Values& original_values(const Session& session);

/// Which tensors other values than those of `from` reach: the given ones, and all that is computed from them.
std::array<bool, tensor_count> reached(const Setup& setup, const Values& from);

}  // namespace headlight
