// The cells of a slice in reduced blocks of 2, 4, 8, ..., so that a small picture of a large tensor reads only about as
// many numbers as it has pixels.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/slices/grid.hpp"
#include "app/slices/slice.hpp"
#include "core/compute/threads.hpp"

namespace headlight {

// --- Many cells reduced to the cell of largest magnitude -------------------------------------------------------------

// Ties are decided only by value, so a block has the same result whether its cells are read one by one or joined from
// smaller blocks, in any order.

/// A cell as an unsigned integer. Of several cells the one with the largest rank is shown. Masked cells have rank 0,
/// followed by the numbers by magnitude (of x and −x the positive one ranks higher), −inf, inf and NaN.
template <class T>
using Rank = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;

template <class T>
constexpr int sign_shift = std::is_same_v<T, float> ? 31 : 63;

template <class T>
constexpr Rank<T> rank_of(T value) {
  const auto bits = std::bit_cast<Rank<T>>(value + T{0});  // adding 0 turns −0 into 0
  return static_cast<Rank<T>>(bits << 1 | ((bits >> sign_shift<T>)^1));
}

template <class T>
T value_of(Rank<T> rank) {
  return std::bit_cast<T>(static_cast<Rank<T>>(rank >> 1 | ((rank & 1) ^ 1) << sign_shift<T>));
}

inline CellKind kind_of(double value) {
  if (std::isnan(value)) return CellKind::nan;
  if (std::isinf(value)) return value > 0 ? CellKind::positive_infinity : CellKind::negative_infinity;
  return CellKind::number;
}

template <class T>
CellKind kind_of_rank(Rank<T> rank) {
  return rank == 0 ? CellKind::masked : kind_of(static_cast<double>(value_of<T>(rank)));
}

// --- Blocks of cells -------------------------------------------------------------------------------------------------

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
