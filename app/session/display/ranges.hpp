// From where to where the colours of a tensor reach, among what a person can choose.
#pragma once

#include <span>
#include <string_view>

#include "app/session/display/display.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// Beyond this many keys an even weight, 1/keys, is too small to be told from zero on a scale from 0 to 1.
inline constexpr Index few_keys = 16;

struct OfferedRange {
  RangeKind kind = RangeKind::automatic;
  std::string_view words;  ///< on the control: "0–1"
};

/// The ranges that a tensor can have, in the order in which they are offered.
std::span<const OfferedRange> offered_ranges(TensorId tensor);

/// The range that a choice gives a tensor: `automatic` means another one where the tensor holds weights, and so do
/// choices for weights where it holds none.
RangeKind range_kind_of(RangeKind chosen, TensorId tensor, const Setup& setup);

/// The offered range after that of a choice; the last is followed by the first. Never `fixed`, which needs numbers.
RangeKind next_range(RangeKind chosen, TensorId tensor, const Setup& setup);

}  // namespace headlight
