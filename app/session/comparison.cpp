#include "app/session/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace headlight {
namespace {

double difference(double a, double b) { return a == b ? 0 : b - a; }

/// The index of an element in row-major order.
Shape index_at(const Shape& extents, Index element) {
  Shape index = extents;
  for (int axis = extents.rank() - 1; axis >= 0; --axis) {
    index[axis] = element % extents[axis];
    element /= extents[axis];
  }
  return index;
}

/// Calls `body(element, a, b)` for each pair of elements, in row-major order, widened to double.
template <class Body>
void for_each_pair(const Tensor& a, const Tensor& b, Body&& body) {
  const Tensor flat_a = a.contiguous();
  const Tensor flat_b = b.contiguous();
  with_element_type(flat_a.precision(), [&](auto zero_a) {
    with_element_type(flat_b.precision(), [&](auto zero_b) {
      const auto* const from = flat_a.data<decltype(zero_a)>();
      const auto* const to = flat_b.data<decltype(zero_b)>();
      for (Index i = 0; i < flat_a.elements(); ++i) body(i, static_cast<double>(from[i]), static_cast<double>(to[i]));
    });
  });
}

void measure(const Tensor& a, const Tensor& b, TensorComparison& found) {
  found.equal = true;
  if (a.same_window(b)) return;
  Index place = -1;
  for_each_pair(a, b, [&](Index element, double from, double to) {
    if (from == to || (std::isnan(from) && std::isnan(to))) return;
    found.equal = false;
    if (!std::isfinite(from) || !std::isfinite(to)) {
      ++found.not_finite;
      return;
    }
    const double apart = std::abs(to - from);
    if (apart <= found.largest) return;
    found.largest = apart;
    place = element;
  });
  if (place >= 0) found.where = Cell{found.tensor, index_at(b.shape(), place)};
}

}  // namespace

std::vector<TensorComparison> compare(const Trace& a, const Trace& b) {
  std::vector<TensorComparison> all;
  for (const TensorInfo& tensor : all_tensors()) {
    if (!a.has(tensor.id) && !b.has(tensor.id)) continue;
    TensorComparison found{.tensor = tensor.id, .a = {}, .b = {}, .where = {}};
    if (a.has(tensor.id)) found.a = a[tensor.id].shape();
    if (b.has(tensor.id)) found.b = b[tensor.id].shape();
    if (found.comparable()) measure(a[tensor.id], b[tensor.id], found);
    all.push_back(found);
  }
  return all;
}

Tensor difference_of(const Tensor& a, const Tensor& b) {
  Tensor result = Tensor::uninitialized(Precision::float64, b.shape());
  double* const out = result.writable<double>();
  for_each_pair(a, b, [&](Index element, double from, double to) { out[element] = difference(from, to); });
  return result;
}

Tensor hidden_in_both(const Trace& a, const Trace& b) {
  const Tensor& from = a[TensorId::masked_scores];
  const Tensor& to = b[TensorId::masked_scores];
  if (a.setup.mask.kinds.empty() || b.setup.mask.kinds.empty() || from.shape() != to.shape()) return {};
  if (from.same_window(to)) return to;
  Tensor result = Tensor::uninitialized(Precision::float64, to.shape());
  double* const out = result.writable<double>();
  for_each_pair(from, to, [&](Index element, double x, double y) { out[element] = std::max(x, y); });
  return result;
}

}  // namespace headlight
