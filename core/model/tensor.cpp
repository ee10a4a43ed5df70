#include "core/model/tensor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/memory/blocks.hpp"

namespace headlight {
namespace {

Shape row_major_strides(const Shape& shape) {
  Shape strides = shape;
  Index stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/// Shape or strides with four axes, padded on the outside, so that one loop nest serves every rank.
std::array<Index, Shape::max_rank> padded(const Shape& axes, Index outside) {
  std::array<Index, Shape::max_rank> all{};
  std::copy_backward(axes.begin(), axes.end(), all.end());
  std::fill_n(all.begin(), Shape::max_rank - axes.rank(), outside);
  return all;
}

template <class From, class To>
void copy_row(const From* from, Index step, To* to, Index to_step, Index count) {
  if (step == 1 && to_step == 1) std::transform(from, from + count, to, [](From n) { return static_cast<To>(n); });
  else
    for (Index i = 0; i < count; ++i) to[i * to_step] = static_cast<To>(from[i * step]);
}

}  // namespace

std::size_t bytes_per_element(Precision precision) { return precision == Precision::float32 ? 4 : 8; }

Tensor Tensor::on_block(std::shared_ptr<std::byte[]> block, Precision precision, const Shape& shape) {
  Tensor tensor;
  tensor.block_ = std::move(block);
  tensor.precision_ = precision;
  tensor.shape_ = shape;
  tensor.strides_ = row_major_strides(shape);
  return tensor;
}

Tensor Tensor::uninitialized(Precision precision, const Shape& shape) {
  const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * bytes_per_element(precision);
  return on_block(new_block(bytes), precision, shape);
}

Tensor Tensor::zeros(Precision precision, const Shape& shape) {
  Tensor tensor = uninitialized(precision, shape);
  std::memset(tensor.block_.get(), 0, static_cast<std::size_t>(shape.elements()) * bytes_per_element(precision));
  return tensor;
}

double Tensor::at(std::span<const Index> index) const {
  Index offset = 0;
  for (int axis = 0; axis < shape_.rank(); ++axis) offset += index[static_cast<std::size_t>(axis)] * strides_[axis];
  return precision_ == Precision::float32 ? static_cast<double>(data<float>()[offset]) : data<double>()[offset];
}

Tensor Tensor::transposed(int axis_a, int axis_b) const {
  Tensor view = *this;
  std::swap(view.shape_[axis_a], view.shape_[axis_b]);
  std::swap(view.strides_[axis_a], view.strides_[axis_b]);
  return view;
}

Tensor Tensor::narrowed(int axis, Index start, Index length) const {
  Tensor view = *this;
  view.offset_ += start * strides_[axis];
  view.shape_[axis] = length;
  return view;
}

Tensor Tensor::stepped(int axis, Index first, Index step, Index count) const {
  Tensor view = narrowed(axis, first, count);
  view.strides_[axis] *= step;
  return view;
}

Tensor Tensor::selected(int axis, Index position) const {
  Tensor view = *this;
  view.offset_ += position * strides_[axis];
  view.shape_ = Shape{};
  view.strides_ = Shape{};
  for (int kept = 0; kept < shape_.rank(); ++kept) {
    if (kept == axis) continue;
    view.shape_.push_back(shape_[kept]);
    view.strides_.push_back(strides_[kept]);
  }
  return view;
}

Tensor Tensor::repeated(int axis, Index count) const {
  Tensor view = *this;
  view.shape_[axis] = count;
  view.strides_[axis] = 0;
  return view;
}

Tensor Tensor::as_row() const {
  Tensor view = *this;
  view.shape_ = {1, shape_[0]};
  view.strides_ = {shape_[0] * strides_[0], strides_[0]};
  return view;
}

Tensor Tensor::split_heads(Index parts) const {
  const Index width = shape_[2] / parts;
  Tensor view = *this;
  view.shape_ = {shape_[0], parts, shape_[1], width};
  view.strides_ = {strides_[0], width * strides_[2], strides_[1], strides_[2]};
  return view;
}

Tensor Tensor::join_heads() const {
  if (strides_[1] != shape_[3] * strides_[3]) throw std::logic_error("join_heads: the heads do not lie side by side");
  Tensor view = *this;
  view.shape_ = {shape_[0], shape_[2], shape_[1] * shape_[3]};
  view.strides_ = {strides_[0], strides_[2], strides_[3]};
  return view;
}

bool Tensor::is_contiguous() const { return strides_ == row_major_strides(shape_); }

Tensor Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  Tensor copy = uninitialized(precision_, shape_);
  copy_numbers(*this, copy);
  return copy;
}

bool Tensor::same_window(const Tensor& other) const {
  return block_ == other.block_ && offset_ == other.offset_ && shape_ == other.shape_ && strides_ == other.strides_;
}

void copy_numbers(const Tensor& from, Tensor to) {
  const auto extents = padded(to.shape(), 1);
  const auto strides = padded(from.strides(), 0), to_strides = padded(to.strides(), 0);
  with_element_type(from.precision(), [&](auto zero) {
    with_element_type(to.precision(), [&](auto to_zero) {
      const auto* const source = from.data<decltype(zero)>();
      auto* const target = to.writable<decltype(to_zero)>();
      for (Index a = 0; a < extents[0]; ++a)
        for (Index b = 0; b < extents[1]; ++b)
          for (Index c = 0; c < extents[2]; ++c)
            copy_row(source + a * strides[0] + b * strides[1] + c * strides[2], strides[3],
                     target + a * to_strides[0] + b * to_strides[1] + c * to_strides[2], to_strides[3], extents[3]);
    });
  });
}

Tensor tensor_of(const Shape& shape, std::span<const double> numbers) {
  Tensor tensor = Tensor::uninitialized(Precision::float64, shape);
  std::ranges::copy(numbers, tensor.writable<double>());
  return tensor;
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  if (a.precision() != b.precision() || a.shape() != b.shape()) return false;
  if (a.same_window(b)) return true;
  const Tensor left = a.contiguous();
  const Tensor right = b.contiguous();
  return with_element_type(a.precision(), [&](auto zero) {
    using T = decltype(zero);
    return std::memcmp(left.data<T>(), right.data<T>(), static_cast<std::size_t>(a.elements()) * sizeof(T)) == 0;
  });
}

std::string exact_text(double value, Precision precision) {
  if (std::isnan(value)) return "nan";  // its sign means nothing
  return precision == Precision::float32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

}  // namespace headlight
