// A tensor or a part of it, by name, and its numbers with their labels: what files and tables of numbers are made of.
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

/// "weights", "weights[0,1]", "weights[:,1,2]": a position on some axes, all of the others.
struct TensorSlice {
  TensorId tensor = TensorId::X;
  std::array<std::optional<Index>, Shape::max_rank> at{};  ///< by axis; nothing stands for all of it

  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;
};

/// Without what stands for all at the end: "weights[0,1]".
std::string to_string(const TensorSlice& slice);

/// Reads one; spaces are allowed, and axes that are left out at the end are taken whole. Throws InputError naming what
/// was found and which tensors, ranks and ranges the setup allows.
TensorSlice parse_tensor_slice(std::string_view text, const Setup& setup);

/// What counts along an axis of a table.
struct LabelledAxis {
  std::string name;                 ///< "query"
  std::vector<std::string> labels;  ///< one for each position: its token, or the position itself
  bool tokens = false;              ///< the labels are tokens
};

/// Numbers as a window on the trace, and how to read them.
struct LabelledNumbers {
  std::string name;                ///< "weights[0,1]"
  Tensor values;                   ///< as many axes as the slice left whole
  Tensor hidden;                   ///< same shape, or empty: a number is masked where this is −inf
  std::vector<LabelledAxis> axes;  ///< those of `values`

  int rank() const { return values.shape().rank(); }
  /// Masked cells are those of masked_scores, weights and dropped_weights whose key is hidden from the query.
  bool masked(std::span<const Index> index) const;
};

/// The slice must fit the trace.
LabelledNumbers numbers_of(const Trace& trace, const TensorSlice& slice);

}  // namespace headlight
