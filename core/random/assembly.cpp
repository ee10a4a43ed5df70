#include "core/random/assembly.hpp"

#include <algorithm>

#include "core/shapes.hpp"

namespace headlight {
namespace {

/// The axis along which the heads' blocks lie side by side.
int block_axis(TensorId id, const Shape& whole) { return whole.rank() == 1 || id == TensorId::W_o ? 0 : 1; }

/// `to` is a window of the same shape, of one or two axes, with neighbours along the last axis next to each other.
void copy(const Tensor& from, Tensor to) {
  const Tensor rows = from.contiguous();
  const Index count = to.shape().rank() == 1 ? 1 : to.shape()[0];
  const Index width = to.shape().back(0);
  const Index stride = to.strides()[0];
  with_element_type(to.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < count; ++row)
      std::copy_n(rows.data<T>() + row * width, width, to.writable<T>() + row * stride);
  });
}

}  // namespace

Shape region_shape(const Region& region, const Setup& setup) {
  Shape result = shape(region.id, setup);
  if (region.head) result[block_axis(region.id, result)] = setup.d_head();
  return result;
}

void Assembly::place(std::optional<Index> head, const Tensor& values) {
  std::erase_if(parts_, [&](const Part& part) { return !head || part.head == head; });
  if (head || !values.empty()) parts_.push_back({head, values});
}

Tensor Assembly::assemble(TensorId id, const Setup& setup) const {
  const Shape whole = shape(id, setup);
  if (parts_.size() == 1 && !parts_[0].head) return parts_[0].values;
  Tensor tensor = Tensor::zeros(setup.attention.precision, whole);
  const int axis = block_axis(id, whole);
  const Index width = setup.d_head();
  for (const Part& part : parts_) {
    const Tensor window = part.head ? tensor.narrowed(axis, *part.head * width, width) : tensor;
    copy(part.values.empty() ? Tensor::zeros(tensor.precision(), window.shape()) : part.values, window);
  }
  return tensor;
}

bool operator==(const Assembly& a, const Assembly& b) {
  const auto same = [](const auto& x, const auto& y) { return x.head == y.head && x.values.same_window(y.values); };
  return std::equal(a.parts_.begin(), a.parts_.end(), b.parts_.begin(), b.parts_.end(), same);
}

}  // namespace headlight
