// Reduces many cells to the cell of largest magnitude. Ties are decided only by value, so a block has the same result
// whether its cells are read one by one or joined from smaller blocks, in any order.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "app/slices/slice.hpp"

namespace headlight {

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

}  // namespace headlight
