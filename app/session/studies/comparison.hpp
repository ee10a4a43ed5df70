// Compares two traces: which tensors differ, by how much, and where most.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/model/trace.hpp"

namespace headlight {

/// The comparison of one tensor of traces A and B.
struct TensorComparison {
  TensorId tensor = TensorId::X;
  std::optional<Shape> a;  ///< its shape in A; none if A has no such tensor
  std::optional<Shape> b;
  bool equal = false;         ///< every number is the same in both
  double largest = 0;         ///< max |B − A| over the cells where both are finite
  std::optional<Cell> where;  ///< the first cell with that difference; none if no number differs
  Index not_finite = 0;       ///< cells that are finite in one only: masked there and not in the other
  bool measured = true;       ///< otherwise only the shapes are known
  /// Whether the shapes agree, so that B − A exists.
  bool comparable() const { return a && b && *a == *b; }
};

/// Compares every tensor of either trace, in the order of the forward pass. The result is meaningless if it was
/// stopped.
std::vector<TensorComparison> compare(const Trace& a, const Trace& b, const std::stop_token& stop = {});
/// The same for the shapes alone, without measuring.
std::vector<TensorComparison> compare_shapes(const Trace& a, const Trace& b);

/// B − A in float64, with the shape of both, which must agree; 0 where both are the same infinity.
Tensor difference_of(const Tensor& a, const Tensor& b);

/// The larger of each pair of numbers, in float64, with the shape of both, which must agree. For masked scores it is
/// −inf only where the mask hides the cell in both.
Tensor larger_of(const Tensor& a, const Tensor& b);

}  // namespace headlight
