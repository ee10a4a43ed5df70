// Rows and columns of a tensor, and ranges of them.
#pragma once

#include "core/model/shape.hpp"

namespace headlight {

/// The indices [begin, end) of an axis.
struct IndexRange {
  Index begin = 0;
  Index end = 0;

  Index size() const { return end - begin; }
  bool contains(Index i) const { return i >= begin && i < end; }
  bool overlaps(const IndexRange& o) const { return begin < o.end && o.begin < end; }
  IndexRange moved(Index by) const { return {begin + by, end + by}; }
  static IndexRange one(Index i) { return {i, i + 1}; }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// A row and a column of the tensor (not of the screen).
struct GridCell {
  Index row = 0;
  Index column = 0;
  friend bool operator==(const GridCell&, const GridCell&) = default;
};

/// Rows and columns of the tensor.
struct GridBlock {
  IndexRange rows;
  IndexRange columns;
  friend bool operator==(const GridBlock&, const GridBlock&) = default;
};

}  // namespace headlight
