// Edits of numbers that are given by hand: a cell, or a whole input, weight or bias.
#pragma once

#include "core/model/cell.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// The setup with another number in a cell of an input, weight or bias. Where a part of the tensor that holds the cell
/// is given already, the number changes in it; else the cell becomes a part of its own.
Setup with_number(const Setup& setup, const Cell& cell, double number);
/// The setup with these numbers for the whole tensor, in place of all that was given of it.
Setup with_array(const Setup& setup, TensorId tensor, const GivenNumbers& numbers);

/// The setup with the number of the cell, or with all numbers of the tensor, given as in `from`.
Setup with_cell_of(const Values& from, const Setup& setup, const Cell& cell);
Setup with_tensor_of(const Values& from, const Setup& setup, TensorId tensor);

/// Whether the number of the cell is given for itself, and otherwise than in `from`.
bool is_changed(const Setup& setup, const Values& from, const Cell& cell);
}  // namespace headlight
