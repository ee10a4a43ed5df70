// A tensor or a part of it, by name, and its numbers with their labels. CSV files, tables and array files are written
// from these.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/names.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// A part of a tensor: "weights", "weights[0,1]", "L1.weights[:,1,2]". Each axis is either fixed to one position or
/// taken whole.
struct TensorSlice {
  TensorId tensor = TensorId::X;
  std::array<std::optional<Index>, Shape::max_rank> at{};  ///< one per axis; nullopt takes the whole axis
  Index layer = 0;                                         ///< of the model

  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;
};

/// The text of a slice, without the ":" of whole axes at its end: "weights[0,1]".
std::string to_string(const TensorSlice& slice);

/// Reads a slice from text, of any layer. Without one it is of the layer that the setup is asked about. Spaces are
/// allowed, and axes left out at the end are taken whole. Throws InputError with what was found and which tensors and
/// positions the setup allows.
TensorSlice parse_tensor_slice(std::string_view text, const Setup& setup);

/// The name and labels of one axis of a table.
struct LabelledAxis {
  std::string name;                 ///< "query"
  std::vector<std::string> labels;  ///< one per position: its token, or the position as a number
  bool tokens = false;              ///< whether the labels are tokens
};

/// The numbers of a slice, as a window on the trace, with the names and labels to show them with.
struct LabelledNumbers {
  std::string name;  ///< "weights[0,1]"
  Tensor values;     ///< its axes are those that the slice takes whole
  /// In the same shape: a number is masked where this is −inf. Empty if nothing can be masked.
  Tensor hidden;
  std::vector<LabelledAxis> axes;  ///< one per axis of `values`

  int rank() const { return values.shape().rank(); }
  /// Whether the mask hides the key of this cell from its query. Only cells of masked_scores, weights, dropped_weights
  /// and their gradients can be masked.
  bool masked(std::span<const Index> index) const;
};

/// The numbers and labels of a slice of the trace, which is that of the slice's layer. The slice's tensor must exist in
/// the trace, and its positions be inside it.
LabelledNumbers numbers_of(const Trace& trace, const TensorSlice& slice);

}  // namespace headlight
