// The cells of a slice in reduced blocks of 2, 4, 8, ..., so that a small picture of a large tensor reads only about as
// many numbers as it has pixels.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "app/slices/grid.hpp"
#include "app/slices/reduction.hpp"
#include "app/slices/slice.hpp"
#include "core/compute/threads.hpp"

namespace headlight {

/// Blocks of 2^outer_log2 lines by 2^inner_log2 cells, each with the largest rank of its cells. A line is a row or a
/// column of the slice, whichever is contiguous in memory.
template <class T>
struct Level {
  int outer_log2 = 0;
  int inner_log2 = 0;
  Index outer = 0;  ///< number of lines of blocks
  Index inner = 0;
  std::vector<Rank<T>> ranks;  ///< line by line; empty for blocks of one cell, which are read from the slice
};

/// The blocks of one slice. A level (a size of blocks) is computed from a smaller level at its first use. Copies share
/// the levels that exist when the copy is made.
class Pyramid {
 public:
  explicit Pyramid(Slice slice);

  const Slice& slice() const { return slice_; }
  /// Whether a line is a column of the slice and not a row.
  bool lines_are_columns() const;
  /// Computes the levels of square blocks, up to the first level with few blocks.
  void prepare(Threads& threads);

  /// The level of a size. T must be the element type of the slice. The result is valid as long as this pyramid or a
  /// later copy of it exists.
  template <class T>
  const Level<T>& level(int outer_log2, int inner_log2, Threads& threads);
  /// For each of the `columns` of blocks the largest rank over the `lines` of blocks. Thread-safe.
  template <class T>
  std::vector<Rank<T>> largest(const Level<T>& level, const IndexRange& lines, const IndexRange& columns) const;

  /// The number of cells that were read from the slice to compute blocks, for tests.
  Index cells_read() const { return cells_read_; }

 private:
  template <class T>
  using Levels = std::map<std::pair<int, int>, std::shared_ptr<const Level<T>>>;
  template <class T>
  Level<T> joined(const Level<T>& from, int outer_log2, int inner_log2, Threads& threads) const;

  Slice slice_;
  std::variant<Levels<float>, Levels<double>> levels_;
  Index cells_read_ = 0;
};

}  // namespace headlight
