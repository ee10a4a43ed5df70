// The value type of every number that Headlight shows.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "core/model/shape.hpp"

namespace headlight {

enum class Precision { float32, float64 };

std::size_t bytes_per_element(Precision precision);

template <class T>
constexpr Precision precision_of = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;

/// Calls `body` with a zero of the element type:
/// `with_element_type(p, [&](auto zero) { using T = decltype(zero); ... })`.
template <class Body>
decltype(auto) with_element_type(Precision precision, Body&& body) {
  if (precision == Precision::float32) return body(float{});
  return body(double{});
}

/// A strided window on a shared, immutable block of float32 or float64.
///
/// Copies are cheap and share the block; splitting heads, transposing and slicing make windows, not copies, so a trace
/// holds each number once. Whoever makes a tensor fills it through `writable` before anybody else holds it.
class Tensor {
 public:
  Tensor() = default;

  /// Uninitialised, contiguous (row-major).
  static Tensor uninitialized(Precision precision, const Shape& shape);
  /// The same on a given block, which must be large enough.
  static Tensor on_block(std::shared_ptr<std::byte[]> block, Precision precision, const Shape& shape);
  static Tensor zeros(Precision precision, const Shape& shape);

  Precision precision() const { return precision_; }
  const Shape& shape() const { return shape_; }
  /// Distance between neighbours along each axis, in elements.
  const Shape& strides() const { return strides_; }
  Index elements() const { return shape_.elements(); }
  bool empty() const { return block_ == nullptr; }

  /// One element, widened to double (exact). `index` has one entry per axis, each inside its extent.
  double at(std::span<const Index> index) const;
  double at(std::initializer_list<Index> index) const { return at(std::span(index.begin(), index.size())); }

  /// The element at index 0, 0, ...; T must match precision().
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(block_.get()) + offset_;
  }
  /// For the maker of the tensor only: nobody else may hold the block yet.
  template <class T>
  T* writable() {
    return reinterpret_cast<T*>(block_.get()) + offset_;
  }

  /// Windows on the same block.
  Tensor transposed(int axis_a, int axis_b) const;
  /// The sub-block [start, start + length) of an axis.
  Tensor narrowed(int axis, Index start, Index length) const;
  /// One position of an axis; the axis disappears.
  Tensor selected(int axis, Index position) const;
  /// (n,) as (1, n): a vector as one row.
  Tensor as_row() const;
  /// (batch, position, parts·width) -> (batch, parts, position, width): how attention splits heads.
  Tensor split_heads(Index parts) const;
  /// The reverse: (batch, parts, position, width) -> (batch, position, parts·width). Only for a window that split_heads
  /// made, or one laid out like it; anything else is a programming error (std::logic_error).
  Tensor join_heads() const;

  bool is_contiguous() const;
  /// The same numbers in row-major order; itself if it is contiguous already.
  Tensor contiguous() const;

  /// True when both are the same window on the same block: equal without looking at a single number.
  bool same_window(const Tensor& other) const;
  /// True when both read the same block (through whatever window).
  bool shares_block(const Tensor& other) const { return block_ == other.block_; }

 private:
  std::shared_ptr<std::byte[]> block_;
  Index offset_ = 0;
  Shape shape_;
  Shape strides_;
  Precision precision_ = Precision::float64;
};

/// Same shape and precision, and every element equal bit for bit (so NaN equals itself, and 0 differs from -0).
bool identical(const Tensor& a, const Tensor& b);

}  // namespace headlight
