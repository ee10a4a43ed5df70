// The extents of a tensor.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>

#include <fmt/format.h>

namespace headlight {

/// Extents, strides and positions; signed, so that subtracting them cannot wrap around.
using Index = std::int64_t;

/// Up to four extents, outermost first. Needs no allocation, because a trace has dozens of shapes.
class Shape {
 public:
  static constexpr int max_rank = 4;

  Shape() = default;
  Shape(std::initializer_list<Index> extents) {
    for (Index extent : extents) push_back(extent);
  }
  explicit Shape(std::span<const Index> extents) {
    for (Index extent : extents) push_back(extent);
  }

  int rank() const { return rank_; }
  Index operator[](int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  Index& operator[](int axis) { return extents_[static_cast<std::size_t>(axis)]; }
  /// Extent counted from the innermost axis: back(0) is the number of columns.
  Index back(int from_end) const { return (*this)[rank_ - 1 - from_end]; }
  const Index* begin() const { return extents_.data(); }
  const Index* end() const { return extents_.data() + rank_; }
  void push_back(Index extent) { extents_[static_cast<std::size_t>(rank_++)] = extent; }

  /// The product of the extents. Too large a product becomes the largest Index, so that absurd sizes compare as large.
  Index elements() const {
    Index product = 1;
    for (Index extent : *this) {
      if (__builtin_mul_overflow(product, extent, &product)) return std::numeric_limits<Index>::max();
    }
    return product;
  }

  /// The index of an element, counted in row-major order.
  Shape index_at(Index element) const {
    Shape index = *this;
    for (int axis = rank_ - 1; axis >= 0; --axis) {
      index[axis] = element % (*this)[axis];
      element /= (*this)[axis];
    }
    return index;
  }

  /// The shape as NumPy prints it: "(1, 2, 4, 4)", "(8,)".
  std::string to_string() const {
    return fmt::format("({}{})", fmt::join(begin(), end(), ", "), rank_ == 1 ? "," : "");
  }

  friend bool operator==(const Shape& a, const Shape& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  std::array<Index, max_rank> extents_{};
  int rank_ = 0;
};

/// Moves an index to the next place in row-major order; false after the last one.
inline bool advance(Shape& index, const Shape& extents) {
  for (int axis = extents.rank() - 1; axis >= 0; --axis) {
    if (++index[axis] < extents[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

}  // namespace headlight
