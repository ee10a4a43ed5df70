// Reading somebody's array in the axes of the names table.
#pragma once

#include <optional>
#include <string>

#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// The conventions in which a whole file is written.
struct ArrayLayout {
  bool token_columns = false;   ///< inputs and computed tensors have their last two axes swapped
  bool weights_out_in = false;  ///< weights are (out, in)
};

/// The array with the axes of the tensor, if its shape allows it: as it is, in another layout, without the axes of a
/// single batch item or head, and K_heads and V_heads also with one entry for each query head. None if nothing fits.
std::optional<Tensor> read_as(const Tensor& array, TensorId id, const Setup& setup, const ArrayLayout& layout);

/// The setup in which batch items and positions have changed places, as for somebody who takes (batch, position, ...)
/// for (position, batch, ...). Nothing if there is none: the mask refers to batch items or positions that do not exist.
std::optional<Setup> exchanged(const Setup& setup);

/// What would make an array of this shape fit: "transpose(0, 2, 1, 3) would fit". Empty if nothing simple does.
std::string hint_for(const Shape& found, TensorId id, const Setup& setup);

}  // namespace headlight
