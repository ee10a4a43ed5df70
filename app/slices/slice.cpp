#include "app/slices/slice.hpp"

#include <cmath>

#include "core/model/shapes.hpp"

namespace headlight {
namespace {

Tensor as_matrix(const Tensor& tensor) { return tensor.shape().rank() == 1 ? tensor.as_row() : tensor; }

Tensor window(const Trace& trace, TensorId id, Tensor tensor, Index batch, Index head) {
  const TensorInfo& about = info(id);
  for (int axis = about.rank - 3; axis >= 0;
       --axis)  // from the inside, so that the indices of earlier axes stay the same
    tensor = tensor.selected(axis, index_on(about.axes[static_cast<std::size_t>(axis)], batch, head, trace.setup));
  return tensor;
}

}  // namespace

CellKind Slice::kind(Index row, Index column) const {
  if (!hidden.empty() && std::isinf(hidden.at({row, column})) && hidden.at({row, column}) < 0) return CellKind::masked;
  const double v = value(row, column);
  if (std::isnan(v)) return CellKind::nan;
  if (std::isinf(v)) return v > 0 ? CellKind::positive_infinity : CellKind::negative_infinity;
  return CellKind::number;
}

Slice slice_of(const Trace& trace, TensorId id, Index batch, Index head) {
  Slice slice = slice_of(window(trace, id, trace[id], batch, head));
  const Tensor hidden = info(id).masked ? trace.hidden_cells() : Tensor{};
  if (!hidden.empty()) slice.hidden = window(trace, id, hidden, batch, head);
  return slice;
}

Slice slice_of(const Tensor& tensor) { return {as_matrix(tensor), {}}; }

const char* word_for(CellKind kind) {
  switch (kind) {
    case CellKind::nan: return "NaN";
    case CellKind::positive_infinity: return "inf";
    case CellKind::negative_infinity: return "−inf";
    default: return "";
  }
}

}  // namespace headlight
