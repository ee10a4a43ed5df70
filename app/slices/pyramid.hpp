// The cells of a slice in blocks of 2, 4, 8, ..., each already reduced: a small picture of a large tensor reads no more
// numbers than its pixels call for.
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

/// Blocks of 2^outer_log2 lines by 2^inner_log2 cells, each with its largest rank. Lines lie along the memory: the
/// cells of a line are neighbours there.
template <class T>
struct Level {
  int outer_log2 = 0;
  int inner_log2 = 0;
  Index outer = 0;  ///< how many
  Index inner = 0;
  std::vector<Rank<T>> ranks;  ///< line after line; none for single cells: those are read from the slice
};

/// The blocks of one slice. A size of them is worked out when it is first asked for, from a smaller one; copies share
/// what there is by then.
class Pyramid {
 public:
  explicit Pyramid(Slice slice);

  const Slice& slice() const { return slice_; }
  /// Whether a line is a column of the slice; else it is a row.
  bool lines_are_columns() const;
  /// Works out square blocks of all sizes, until there are few of them.
  void prepare(Threads& threads);

  /// T is the element type of the slice. What is returned lives as long as this or a later copy.
  template <class T>
  const Level<T>& level(int outer_log2, int inner_log2, Threads& threads);
  /// The largest rank in each of some columns of blocks, over some lines of blocks. Any number of threads may ask.
  template <class T>
  std::vector<Rank<T>> largest(const Level<T>& level, const IndexRange& lines, const IndexRange& columns) const;

  /// Cells read from the slice so far to work out blocks: for tests.
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
