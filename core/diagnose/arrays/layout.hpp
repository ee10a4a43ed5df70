// Layouts of arrays: the same numbers in another order, and a given array in the axes of the names table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

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

/// An array in the axes of the names table, and the axes that it had.
struct Arranged {
  Tensor values;
  std::string axes;         ///< "(batch · head, position, d_head)"
  bool transposed = false;  ///< its last two axes have changed places
};

/// The array read in each layout of books and libraries that its shape allows, beside that of the names table,
/// commonest first: (batch · head, position, d_head) as in D2L, (position, batch, features), heads before batch items,
/// positions before heads as in Keras and Flax, the last two axes transposed. None of them reorders numbers within an
/// axis.
std::vector<Arranged> arrangements(const Tensor& array, TensorId id, const Setup& setup);

/// The setup in which batch items and positions have changed places, as in code that takes (batch, position, ...)
/// for (position, batch, ...). Nothing if there is none: the mask refers to batch items or positions that do not exist.
std::optional<Setup> exchanged(const Setup& setup);

/// What would make an array of this shape fit: "transpose(0, 2, 1, 3) would fit". Empty if nothing simple does.
std::string hint_for(const Shape& found, TensorId id, const Setup& setup);

/// The numbers in row-major order and in this precision; the tensor itself where it is so already.
Tensor converted(const Tensor& tensor, Precision precision);

/// The numbers in row-major order, read in another shape of as many elements: NumPy's reshape.
Tensor reshaped(const Tensor& tensor, const Shape& shape);

/// (batch, head, position, width), copied so that the heads of a position are side by side in memory, as
/// Tensor::join_heads needs it. The tensor itself where it is laid out so already.
Tensor side_by_side(const Tensor& heads);

/// (batch, head, position, width) -> the same with heads[order[0]], heads[order[1]], ... as its heads.
Tensor chosen_heads(const Tensor& heads, std::span<const Index> order);

/// K_heads or V_heads with one entry for each of `heads` query heads: neighbours share one.
Tensor repeated_heads(const Tensor& kv_heads, Index heads);

}  // namespace headlight
