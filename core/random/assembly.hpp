// A weight or bias put together from what was drawn for it: nothing, one tensor, or one head's block after another.
#pragma once

#include <optional>
#include <vector>

#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Where a draw goes: a whole tensor, or the block of it that belongs to one head (columns of W_q, W_k, W_v, entries of
/// their biases, rows of W_o).
struct Region {
  TensorId id;
  std::optional<Index> head;
};

Shape region_shape(const Region& region, const Setup& setup);

/// What was drawn for one tensor: the last draw of the whole, and those of heads after it. What none covers is zero.
class Assembly {
 public:
  /// `values` in the orientation of the trace, or empty for zeros.
  void place(std::optional<Index> head, Tensor values);

  /// The tensor. A draw of the whole that no head's follows is the tensor itself.
  Tensor assemble(TensorId id, const Setup& setup) const;

  /// The same windows at the same places: assembled to the same shape, they give the same tensor.
  friend bool operator==(const Assembly& a, const Assembly& b);

 private:
  struct Block {
    Index head;
    Tensor values;
  };
  Tensor whole_;
  std::vector<Block> blocks_;  ///< one for each head that was drawn, in the order of the draws
};

}  // namespace headlight
