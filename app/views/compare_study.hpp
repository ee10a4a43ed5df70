// The comparison of two traces, worked out once for each pair.
#pragma once

#include <cstdint>
#include <vector>

#include "app/heatmap/slice.hpp"
#include "app/session/comparison.hpp"
#include "app/session/selection.hpp"

namespace headlight {

/// Holds the comparison that was asked for last, and the difference of one tensor. `a` and `b` come from one engine,
/// whose versions tell them apart.
class CompareStudy {
 public:
  const std::vector<TensorComparison>& of(const Trace& a, const Trace& b);
  /// B − A of the selection's matrix; the tensor must be comparable. What the mask hides in both is masked.
  Slice difference(const Trace& a, const Trace& b, const Selection& place);

 private:
  bool holds(const Trace& a, const Trace& b) const { return a_ == a.version && b_ == b.version; }

  std::uint64_t a_ = 0;
  std::uint64_t b_ = 0;
  std::vector<TensorComparison> all_;
  TensorId tensor_ = TensorId::X;
  Tensor difference_;  ///< of tensor_; empty until it is asked for
  Tensor hidden_;
};

}  // namespace headlight
