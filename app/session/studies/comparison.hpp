// Compares two traces: which tensors differ, by how much, and where most.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/compute/threads.hpp"
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
  Index not_finite = 0;       ///< cells that are finite in only one of the two: masked in one of them
  bool measured = true;       ///< otherwise only the shapes are known
  /// Whether the shapes agree, so that B − A exists.
  bool comparable() const { return a && b && *a == *b; }
};

/// Compares every tensor that either trace has, in the order of the forward pass. The result must not be used after a
/// stop.
std::vector<TensorComparison> compare(Threads& threads, const Trace& a, const Trace& b,
                                      const std::stop_token& stop = {});
/// The same, without comparing numbers.
std::vector<TensorComparison> compare_shapes(const Trace& a, const Trace& b);

/// B − A in float64; 0 where both are the same infinity. The shapes must agree.
Tensor difference_of(Threads& threads, const Tensor& a, const Tensor& b);

/// The larger number of each pair, in float64, so that masked scores are −inf only if the mask hides the cell in both.
/// The shapes must agree.
Tensor larger_of(Threads& threads, const Tensor& a, const Tensor& b);

/// The cell of a tensor that changed most, with its number before and after.
struct NumberEffect {
  Cell cell;
  double before = 0;
  double after = 0;

  friend bool operator==(const NumberEffect&, const NumberEffect&) = default;
};

struct NumberEffects {
  std::shared_ptr<const Trace> before;  ///< without the number
  std::vector<NumberEffect> most;       ///< of each tensor that changed, in the order of the forward pass
};

/// Computes the trace without the number, which may train a layer. Throws InputError if it needs more memory than the
/// limit, and Stopped after a stop.
NumberEffects number_effects(const std::shared_ptr<Threads>& threads, const Setup& without, const Trace& with,
                             std::int64_t memory_limit, const std::stop_token& stop = {});

}  // namespace headlight
