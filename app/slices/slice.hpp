// The rows and columns of a tensor for one heatmap.
#pragma once

#include <cstdint>

#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

enum class CellKind : std::uint8_t { number, masked, nan, positive_infinity, negative_infinity };

/// A (rows, columns) window on a tensor, and its masked cells. Copies are cheap.
struct Slice {
  Tensor values;  ///< rank 2
  Tensor hidden;  ///< same shape, or empty: a cell is masked where this is −inf

  Index rows() const { return values.shape()[0]; }
  Index columns() const { return values.shape()[1]; }
  double value(Index row, Index column) const { return values.at({row, column}); }
  CellKind kind(Index row, Index column) const;
  /// Whether both are the same windows on the same memory. Compares no numbers.
  bool same_window(const Slice& o) const { return values.same_window(o.values) && hidden.same_window(o.hidden); }
};

/// The slice of a tensor of a trace. `batch` and `head` are ignored if the tensor has no such axis. `head` counts query
/// heads; in grouped-query attention the keys and values of its group are shown. A bias is one row. Masked cells of
/// masked_scores, weights, dropped_weights and their gradients are marked. The tensor must be in the trace and the
/// indices inside it.
Slice slice_of(const Trace& trace, TensorId tensor, Index batch = 0, Index head = 0);

/// Any tensor of rank 1 or 2 as a slice.
Slice slice_of(const Tensor& tensor);

/// The slice with `number(row, column)` as the number of each cell.
template <class Number>
Slice with_numbers(Slice slice, Number&& number) {
  Tensor numbers = Tensor::uninitialized(Precision::float64, slice.values.shape());
  double* out = numbers.writable<double>();
  for (Index row = 0; row < slice.rows(); ++row)
    for (Index column = 0; column < slice.columns(); ++column) *out++ = number(row, column);
  slice.values = numbers;
  return slice;
}

/// "NaN", "inf" or "−inf"; empty for numbers and masked cells.
const char* word_for(CellKind kind);

}  // namespace headlight
