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
/// What is no attention has no even share to be a multiple of.
constexpr std::array<OfferedRange, 4> for_probabilities{{{RangeKind::unit, "0–1"},
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
