// A weight or bias assembled from its draws: none, one of the whole tensor, or blocks of single heads.
#pragma once

#include <optional>
#include <vector>

#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// What a draw fills: a whole tensor, or the block of it that belongs to one head (columns of W_q, W_k, W_v, entries of
/// their biases, rows of W_o).
struct Region {
  TensorId id;
  std::optional<Index> head;
};

Shape region_shape(const Region& region, const Setup& setup);

/// What was drawn for one tensor: the last draw of the whole tensor, and later draws of single heads' blocks. Numbers
/// that no draw fills are 0, those of a gain 1.
class Assembly {
 public:
  /// Adds a draw of the whole tensor or of one head's block. `values` has the axes of the tensor in the trace; empty
  /// means zeros.
  void place(std::optional<Index> head, Tensor values);

  /// The assembled tensor. If only the whole tensor was drawn, that draw is returned without a copy.
  Tensor assemble(TensorId id, const Setup& setup) const;

  /// Whether both hold the same windows in the same places; assembled to the same shape they then give the same tensor.
  friend bool operator==(const Assembly& a, const Assembly& b);

 private:
  struct Block {
    Index head;
    Tensor values;
  };
  Tensor whole_;
  std::vector<Block> blocks_;  ///< one for each head that has a draw, in the order of the draws
};

}  // namespace headlight
