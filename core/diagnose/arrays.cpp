#include "core/diagnose/arrays.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace headlight {
namespace {

/// to[i] = from[i] for every index; both have the same shape.
void copy(const Tensor& from, Tensor to) {
  const Shape& shape = from.shape();
  if (shape.rank() == 0 || shape[0] == 0) return;
  if (shape.rank() > 1) {
    for (Index i = 0; i < shape[0]; ++i) copy(from.selected(0, i), to.selected(0, i));
    return;
  }
  with_element_type(from.precision(), [&](auto from_zero) {
    with_element_type(to.precision(), [&](auto to_zero) {
      using From = decltype(from_zero);
      using To = decltype(to_zero);
      const From* source = from.data<From>();
      To* target = to.writable<To>();
      const Index stride = from.strides()[0], to_stride = to.strides()[0];
      for (Index i = 0; i < shape[0]; ++i) target[i * to_stride] = static_cast<To>(source[i * stride]);
    });
  });
}

}  // namespace

Tensor converted(const Tensor& tensor, Precision precision) {
  if (tensor.precision() == precision && tensor.is_contiguous()) return tensor;
  Tensor result = Tensor::uninitialized(precision, tensor.shape());
  copy(tensor, result);
  return result;
}

Tensor reshaped(const Tensor& tensor, const Shape& shape) {
  const Tensor from = tensor.contiguous();
  Tensor result = Tensor::uninitialized(tensor.precision(), shape);
  with_element_type(tensor.precision(), [&](auto zero) {
    using T = decltype(zero);
    std::copy_n(from.data<T>(), from.elements(), result.writable<T>());
  });
  return result;
}

Tensor side_by_side(const Tensor& heads) {
  const Shape& shape = heads.shape();  // (batch, head, position, width)
  if (heads.strides()[1] == shape[3] * heads.strides()[3]) return heads;
  const Tensor joined = Tensor::uninitialized(heads.precision(), {shape[0], shape[2], shape[1] * shape[3]});
  Tensor split = joined.split_heads(shape[1]);
  copy(heads, split);
  return split;
}

Tensor chosen_heads(const Tensor& heads, std::span<const Index> order) {
  Shape shape = heads.shape();
  shape[1] = static_cast<Index>(order.size());
  const Tensor result = Tensor::uninitialized(heads.precision(), shape);
  for (Index head = 0; head < shape[1]; ++head)
    copy(heads.narrowed(1, order[static_cast<std::size_t>(head)], 1), result.narrowed(1, head, 1));
  return result;
}

Tensor repeated_heads(const Tensor& kv_heads, Index heads) {
  std::vector<Index> order(static_cast<std::size_t>(heads));
  std::iota(order.begin(), order.end(), 0);
  const Index group = heads / kv_heads.shape()[1];
  for (Index& head : order) head /= group;
  return chosen_heads(kv_heads, order);
}

}  // namespace headlight
