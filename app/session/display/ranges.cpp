#include "app/session/display/ranges.hpp"

#include <algorithm>
#include <array>

#include "app/session/display/display_entries.hpp"

namespace headlight {
namespace {

constexpr OfferedRange offered(RangeKind kind) { return {kind, range_words[static_cast<std::size_t>(kind)].label}; }

constexpr std::array for_weights{offered(RangeKind::unit), offered(RangeKind::even), offered(RangeKind::top),
                                 offered(RangeKind::min_max), offered(RangeKind::fixed)};
/// Only attention has an even share, which the colours can be multiples of.
constexpr std::array for_probabilities{offered(RangeKind::unit), offered(RangeKind::top), offered(RangeKind::min_max),
                                       offered(RangeKind::fixed)};
constexpr std::array for_others{offered(RangeKind::automatic), offered(RangeKind::min_max), offered(RangeKind::shared),
                                offered(RangeKind::fixed)};

}  // namespace

std::span<const OfferedRange> offered_ranges(TensorId tensor) {
  if (info(tensor).is_attention()) return for_weights;
  if (info(tensor).probability) return for_probabilities;
  return for_others;
}

RangeKind range_kind_of(RangeKind chosen, TensorId tensor, const Setup& setup) {
  const bool weights = info(tensor).is_attention();
  if (!info(tensor).probability) {
    const bool from_zero = chosen == RangeKind::unit || chosen == RangeKind::even || chosen == RangeKind::top;
    return from_zero ? RangeKind::automatic : chosen;
  }
  if (chosen == RangeKind::automatic)
    return weights && setup.key_length() > few_keys ? RangeKind::even : RangeKind::unit;
  return chosen == RangeKind::even && !weights ? RangeKind::unit : chosen;
}

RangeKind next_range(RangeKind chosen, TensorId tensor, const Setup& setup) {
  const auto offered = offered_ranges(tensor);
  const RangeKind now = range_kind_of(chosen, tensor, setup);
  const auto here = std::find_if(offered.begin(), offered.end(), [&](const auto& one) { return one.kind == now; });
  const auto next = here == offered.end() ? offered.begin() : std::next(here);
  return next == offered.end() || next->kind == RangeKind::fixed ? offered.front().kind : next->kind;
}

}  // namespace headlight
