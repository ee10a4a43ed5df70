#include "app/session/display/ranges.hpp"

#include <algorithm>
#include <array>

namespace headlight {
namespace {

constexpr std::array<OfferedRange, 5> for_weights{{{RangeKind::unit, "0–1"},
                                                   {RangeKind::even, "× even"},
                                                   {RangeKind::top, "0–max"},
                                                   {RangeKind::min_max, "min–max"},
                                                   {RangeKind::fixed, "manual"}}};
constexpr std::array<OfferedRange, 4> for_others{{{RangeKind::automatic, "±max"},
                                                  {RangeKind::min_max, "min–max"},
                                                  {RangeKind::shared, "shared"},
                                                  {RangeKind::fixed, "manual"}}};

}  // namespace

std::span<const OfferedRange> offered_ranges(TensorId tensor) {
  if (info(tensor).is_attention()) return for_weights;
  return for_others;
}

RangeKind range_kind_of(RangeKind chosen, TensorId tensor, const Setup& setup) {
  const bool weights = info(tensor).is_attention();
  if (weights && chosen == RangeKind::automatic)
    return setup.key_length() > few_keys ? RangeKind::even : RangeKind::unit;
  const bool for_weights_alone = chosen == RangeKind::unit || chosen == RangeKind::even || chosen == RangeKind::top;
  return for_weights_alone && !weights ? RangeKind::automatic : chosen;
}

RangeKind next_range(RangeKind chosen, TensorId tensor, const Setup& setup) {
  const auto offered = offered_ranges(tensor);
  const RangeKind now = range_kind_of(chosen, tensor, setup);
  const auto here = std::find_if(offered.begin(), offered.end(), [&](const auto& one) { return one.kind == now; });
  const auto next = here == offered.end() ? offered.begin() : std::next(here);
  return next == offered.end() || next->kind == RangeKind::fixed ? offered.front().kind : next->kind;
}

}  // namespace headlight
