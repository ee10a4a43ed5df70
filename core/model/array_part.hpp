// A part of an array in NumPy's notation: "[2,5]", "[0:4]", "[:, 768:1536]", "[-1, ::2]", "[..., 0]".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/tensor.hpp"

namespace headlight {

/// What a part takes from one axis: a position, which removes the axis, or a slice. As written; negative numbers count
/// from the end.
struct PartItem {
  bool is_position = false;
  std::optional<Index> start;  ///< the position itself, for a position
  std::optional<Index> stop;
  std::optional<Index> step;  ///< 0 for "...": all axes that no other item takes, whole

  friend bool operator==(const PartItem&, const PartItem&) = default;
};

/// One item for each axis, outermost first, and one "..." at most; axes left out at the end are taken whole.
using ArrayPart = std::vector<PartItem>;

/// "[2,5]", "[0:4]"; empty for no items.
std::string to_string(const ArrayPart& part);
/// Reads what to_string writes, with brackets; spaces are allowed. nullopt if it is anything else, or has a step
/// of 0.
std::optional<ArrayPart> parse_array_part(std::string_view text);

/// The positions along one axis: first, first + step, ... `step` may be negative.
struct AxisRange {
  Index first = 0;
  Index step = 1;
  Index count = 0;
  bool is_position = false;  ///< the axis disappears

  bool has(Index index) const { return count > 0 && (index - first) % step == 0 && within(index); }
  Index last() const { return first + (count - 1) * step; }

 private:
  bool within(Index index) const {
    return step > 0 ? index >= first && index <= last() : index <= first && index >= last();
  }
};
using AxisRanges = std::vector<AxisRange>;

/// The positions that a part takes from an array of this shape, a range for each axis. As in NumPy, slices are cut to
/// the axis; nullopt if a position is outside, or if the part has more items, besides "...", than the array has axes.
std::optional<AxisRanges> ranges_of(const ArrayPart& part, std::span<const Index> extents);

/// The shape of what is taken.
Shape shape_of(const AxisRanges& ranges);

/// The window on what is taken from an array of the shape that the ranges were made for.
Tensor window_on(Tensor array, const AxisRanges& ranges);

/// Whether the element at an index of the array is among what is taken.
bool has(const AxisRanges& ranges, const Shape& index);

/// Whether two parts of one array overlap.
bool overlap(const AxisRanges& a, const AxisRanges& b);

}  // namespace headlight
