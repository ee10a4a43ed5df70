#include "app/views/compare_study.hpp"

namespace headlight {
namespace {

bool shows_mask(TensorId tensor) {
  return tensor == TensorId::masked_scores || tensor == TensorId::weights || tensor == TensorId::dropped_weights;
}

/// The matrix of a tensor that stands in the place of the trace's.
Tensor matrix_in(Trace trace, TensorId tensor, const Tensor& values, const Selection& place) {
  trace[tensor] = values;
  return slice_of(trace, tensor, place.batch, place.head).values;
}

}  // namespace

const std::vector<TensorComparison>& CompareStudy::of(const Trace& a, const Trace& b) {
  if (!holds(a, b)) {
    all_ = compare(a, b);
    difference_ = {};
    a_ = a.version;
    b_ = b.version;
  }
  return all_;
}

Slice CompareStudy::difference(const Trace& a, const Trace& b, const Selection& place) {
  of(a, b);
  if (difference_.empty() || tensor_ != place.tensor) {
    tensor_ = place.tensor;
    difference_ = difference_of(a[tensor_], b[tensor_]);
    hidden_ = shows_mask(tensor_) ? hidden_in_both(a, b) : Tensor{};
  }
  Slice slice{matrix_in(b, tensor_, difference_, place), {}};
  if (!hidden_.empty()) slice.hidden = matrix_in(b, TensorId::masked_scores, hidden_, place);
  return slice;
}

}  // namespace headlight
