// The type that holds every number that Headlight shows.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "core/model/shape.hpp"

namespace headlight {

/// How many bytes the tensors of a trace may take, unless a person sets another limit.
constexpr std::int64_t default_memory_limit = std::int64_t{2} << 30;

enum class Precision { float32, float64 };

std::size_t bytes_per_element(Precision precision);

template <class T>
constexpr Precision precision_of = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;

/// Calls `body` with a zero of the element type, from which it can take the type: `with_element_type(p, [&](auto zero)
/// { using T = decltype(zero); ... })`.
template <class Body>
decltype(auto) with_element_type(Precision precision, Body&& body) {
  if (precision == Precision::float32) return body(float{});
  return body(double{});
}

/// A strided window on a shared, immutable block of float32 or float64.
///
/// Copies are cheap and share the block. Splitting heads, transposing and slicing make windows, not copies, so a trace
/// holds each number once. The code that makes a tensor fills it through `writable` before it shares the tensor.
class Tensor {
 public:
  Tensor() = default;

  /// A contiguous (row-major) tensor whose numbers are uninitialised.
  static Tensor uninitialized(Precision precision, const Shape& shape);
  /// The same on a given block, which must be large enough for the shape.
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

  /// The address of the element at index 0, 0, ...; T must match precision().
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(block_.get()) + offset_;
  }
  /// The same to write, only for the code that makes the tensor: nothing else may hold the block yet.
  template <class T>
  T* writable() {
    return reinterpret_cast<T*>(block_.get()) + offset_;
  }

  /// The window with two axes exchanged.
  Tensor transposed(int axis_a, int axis_b) const;
  /// The window on [start, start + length) of an axis.
  Tensor narrowed(int axis, Index start, Index length) const;
  /// The window on `count` positions of an axis: first, first + step, ... `step` may be negative.
  Tensor stepped(int axis, Index first, Index step, Index count) const;
  /// The window on one position of an axis; the axis disappears.
  Tensor selected(int axis, Index position) const;
  /// The window that shows the only position of an axis `count` times.
  Tensor repeated(int axis, Index count) const;
  /// A vector as a matrix with one row: (n,) -> (1, n).
  Tensor as_row() const;
  /// (batch, position, parts·width) -> (batch, parts, position, width): how attention splits heads.
  Tensor split_heads(Index parts) const;
  /// The reverse: (batch, parts, position, width) -> (batch, position, parts·width). Works only on a window made by
  /// split_heads or laid out like one; for anything else it throws std::logic_error, which is a programming error.
  Tensor join_heads() const;

  bool is_contiguous() const;
  /// The same numbers in row-major order. Returns this tensor if it is already contiguous.
  Tensor contiguous() const;

  /// True if both are the same window on the same block, and so equal without comparing any number.
  bool same_window(const Tensor& other) const;
  /// True if both read the same block, even through different windows.
  bool shares_block(const Tensor& other) const { return block_ == other.block_; }

 private:
  std::shared_ptr<std::byte[]> block_;
  Index offset_ = 0;
  Shape shape_;
  Shape strides_;
  Precision precision_ = Precision::float64;
};

/// Copies all numbers to another window and converts them to its precision. The window may have more axes in front;
/// along them the numbers are repeated. Only for the code that makes the tensor that the window is on.
void copy_numbers(const Tensor& from, Tensor to);

/// The index of the first number, in row-major order, for which `is_sought(element, number)` holds.
template <class Predicate>
std::optional<Shape> first_where(const Tensor& tensor, Predicate&& is_sought) {
  const Tensor rows = tensor.contiguous();
  return with_element_type(rows.precision(), [&](auto zero) -> std::optional<Shape> {
    const auto* const numbers = rows.data<decltype(zero)>();
    for (Index element = 0; element < rows.elements(); ++element)
      if (is_sought(element, static_cast<double>(numbers[element]))) return rows.shape().index_at(element);
    return std::nullopt;
  });
}

/// A contiguous float64 tensor of these numbers, as many as the shape has.
Tensor tensor_of(const Shape& shape, std::span<const double> numbers);

/// True if shape and precision are the same and every element is equal bit for bit (so NaN equals itself, and 0 differs
/// from -0).
bool identical(const Tensor& a, const Tensor& b);

/// The shortest text that reads back as the same number in this precision: "0.1", "-inf", "nan".
std::string exact_text(double value, Precision precision);

}  // namespace headlight
