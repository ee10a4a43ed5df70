// A weight or bias put together from what was drawn for it: nothing, one tensor, or one head's block after another.
#pragma once

#include <optional>
#include <vector>

#include "core/setup.hpp"
#include "core/tensor.hpp"

namespace headlight {

/// Where a draw goes: a whole tensor, or the block of it that belongs to one head (columns of W_q, W_k, W_v, entries of
/// their biases, rows of W_o).
struct Region {
  TensorId id;
  std::optional<Index> head;
};

Shape region_shape(const Region& region, const Setup& setup);

/// Parts of one tensor in the order in which they were drawn; what no part covers is zero.
class Assembly {
 public:
  /// `values` in the orientation of the trace, or empty for zeros.
  void place(std::optional<Index> head, const Tensor& values);

  /// The tensor. One part that is everything is the tensor itself.
  Tensor assemble(TensorId id, const Setup& setup) const;

  /// The same windows at the same places: assembled to the same shape, they give the same tensor.
  friend bool operator==(const Assembly& a, const Assembly& b);

 private:
  struct Part {
    std::optional<Index> head;
    Tensor values;
  };
  std::vector<Part> parts_;
};

}  // namespace headlight
