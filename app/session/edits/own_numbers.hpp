// The user's own numbers for inputs, weights and biases, from the arrays of a file or of a printout, and how they
// differ from the lecture's.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnose/arrays/report.hpp"
#include "core/formats/arrays/array_file.hpp"
#include "core/model/cell.hpp"
#include "core/model/setup.hpp"

namespace headlight {

class Session;

/// A tensor, and the name of the array with its numbers.
using ArrayValue = std::pair<TensorId, std::string>;

/// The inputs, weights and biases that the arrays give: those of their names, else, for a single array, the selected
/// tensor. Empty if they give none, or if one of them has the name of a computed tensor: then they are work to check.
std::vector<ArrayValue> values_among(const std::vector<ArrayInfo>& arrays, TensorId selected);

/// Whether a person can put other numbers into the tensor: into one that is drawn or given, but not into attention of
/// which nothing else is known, which is a record of what a model did.
bool takes_numbers(TensorId tensor, const Setup& setup);

/// Whether one of the arrays has the name of a computed tensor: then they are work to check.
bool are_work(const std::vector<ArrayInfo>& arrays);

/// Whether the arrays are a layer that ran, as capture.py writes it: beside its inputs, weights and results they say
/// how it was called.
bool are_captured(const std::vector<ArrayInfo>& arrays);

/// The layer that the arrays of a file describe: its inputs, weights and biases are values of a new setup in the sizes
/// that fit them, with as many heads as attention of four axes among them has. nullopt if an input or a weight is
/// missing, or if no sizes fit. Throws InputError if an array cannot be read.
std::optional<Setup> layer_of_arrays(const std::vector<ArrayInfo>& arrays, const std::filesystem::path& file);

/// The setup with arrays of a file as its values. Throws InputError if one cannot be read.
Setup with_arrays_of(const Setup& setup, const std::filesystem::path& file, const std::vector<ArrayValue>& values);

/// The setup with pasted arrays: each for the tensor of its name, or without such a name for the selected one. Throws
/// InputError if that tensor cannot be given.
Setup with_pasted_arrays(const Setup& setup, const std::vector<GivenArray>& arrays, TensorId selected);

/// A printed matrix without a name, as large as the one of a head that is on the screen, as that head's part of the
/// selected tensor: the other heads have our numbers. nullopt where it isn't.
std::optional<GivenArray> as_shown_head(const Session& session, const GivenArray& printed);

/// The number that a text is, alone; nullopt if it is anything else. A spreadsheet copies it with the end of its line.
std::optional<double> single_number(std::string_view text);
/// What the session wants, with this number in a cell.
Setup with_pasted_number(const Session& session, const Cell& cell, double number);

/// The setup resized to fit its values. nullopt if it fits already, if no sizes fit them, or if the resized setup would
/// be invalid.
std::optional<Setup> with_sizes_of_values(const Setup& setup);
/// "query_length 3 and d_model 6": the sizes in which a setup differs from another one.
std::string sizes_in_words(const Setup& from, const Setup& to);

/// The values before the user's edits: those of the lecture's part, of a trained layer, or weights that are known
/// alone; or none.
Values original_values(const Session& session);

/// The tensors that depend on values that differ from those of `from`: the given tensors, and all that are computed
/// from them.
std::array<bool, tensor_count> reached(const Setup& setup, const Values& from);

}  // namespace headlight
