#include "core/random/assembly.hpp"

#include <algorithm>
#include <utility>

#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// Copies all numbers. Both tensors have the same shape, with one or two axes.
void copy(const Tensor& from, Tensor to) {
  const bool rows = to.shape().rank() == 2;
  const Index count = rows ? to.shape()[0] : 1, width = to.shape().back(0);
  const Index from_row = rows ? from.strides()[0] : 0, to_row = rows ? to.strides()[0] : 0;
  const Index from_column = from.strides().back(0), to_column = to.strides().back(0);
  with_element_type(to.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < count; ++row)
      for (Index column = 0; column < width; ++column)
        to.writable<T>()[row * to_row + column * to_column] = from.data<T>()[row * from_row + column * from_column];
  });
}

Tensor ones(Precision precision, const Shape& shape) {
  Tensor tensor = Tensor::uninitialized(precision, shape);
  with_element_type(precision, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(tensor.writable<T>(), tensor.elements(), T{1});
  });
  return tensor;
}

}  // namespace

Shape region_shape(const Region& region, const Setup& setup) {
  Shape result = shape(region.id, setup);
  if (region.head) result[info(region.id).block_axis().value()] = setup.d_head();
  return result;
}

void Assembly::place(std::optional<Index> head, Tensor values) {
  if (!head) {
    whole_ = std::move(values);
    blocks_.clear();
    return;
  }
  std::erase_if(blocks_, [&](const Block& block) { return block.head == *head; });
  blocks_.push_back({*head, std::move(values)});
}

Tensor Assembly::assemble(TensorId id, const Setup& setup) const {
  if (blocks_.empty() && !whole_.empty()) return whole_;
  const Shape whole = shape(id, setup);
  if (info(id).without_draws() == 1) return ones(setup.attention.precision, whole);  // no head has a block of a gain
  Tensor tensor = Tensor::zeros(setup.attention.precision, whole);
  if (!whole_.empty()) copy(whole_, tensor);
  const Index width = setup.d_head();
  for (const Block& block : blocks_) {
    const Tensor window = tensor.narrowed(info(id).block_axis().value(), block.head * width, width);
    copy(block.values.empty() ? Tensor::zeros(tensor.precision(), window.shape()) : block.values, window);
  }
  return tensor;
}

bool operator==(const Assembly& a, const Assembly& b) {
  const auto same = [](const auto& x, const auto& y) { return x.head == y.head && x.values.same_window(y.values); };
  return a.whole_.same_window(b.whole_) &&
         std::equal(a.blocks_.begin(), a.blocks_.end(), b.blocks_.begin(), b.blocks_.end(), same);
}

}  // namespace headlight
