#include "app/views/tensors/tensor_scale.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/display/display_entries.hpp"
#include "app/session/studies/key_shares.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

constexpr std::size_t remembered = 128;
/// How far below its top a logarithmic scale reaches.
constexpr double log_reach = 1e-4;
/// The share of the numbers that a range from zero to its top shows apart.
constexpr double shown_apart = 0.99;

double magnitude(const TensorStatistics& s) { return std::max(std::abs(s.min), std::abs(s.max)); }

/// One head of a tensor that has heads, with the batch; else the whole tensor.
Tensor head_of(const Trace& trace, TensorId tensor, Index head) {
  const auto axis = info(tensor).head_axis();
  if (!axis) return trace[tensor];
  return trace[tensor].selected(*axis, info(tensor).has_kv_heads() ? trace.setup.kv_head_of(head) : head);
}

/// The statistics of one head of a tensor where it has heads, otherwise of the whole tensor.
TensorStatistics statistics_of_head(Threads& threads, const Trace& trace, StatisticsCache& cache, TensorId tensor,
                                    Index head) {
  return cache.of(threads, head_of(trace, tensor, head), info(tensor).hides_as_infinity());
}

TensorStatistics statistics_for(const Session& session, StatisticsCache& cache, TensorId tensor, bool per_head,
                                Index head) {
  return per_head ? statistics_of_head(*session.threads(), session.trace(), cache, tensor, head)
                  : statistics_of(*session.threads(), session.trace(), cache, tensor);
}

double shared_magnitude(const Session& session, StatisticsCache& cache) {
  double largest = 0;
  for (const TensorInfo& tensor : all_tensors()) {
    if (session.display().heatmap(tensor.id).range != RangeKind::shared || !session.trace().has(tensor.id)) continue;
    largest = std::max(largest, magnitude(statistics_of(*session.threads(), session.trace(), cache, tensor.id)));
  }
  return largest;
}

/// From zero to the largest of most numbers.
ColorScale from_zero_to_top(const Session& session, StatisticsCache& cache, TensorId tensor, bool per_head,
                            Index head) {
  const double largest = statistics_for(session, cache, tensor, per_head, head).max;
  const double top = cache.top_of(per_head ? head_of(session.trace(), tensor, head) : session.trace()[tensor]);
  if (!(top > 0)) return ColorScale::from_zero();
  ColorScale scale = ColorScale::from_zero(top);
  scale.cut_above = largest > top;
  return scale;
}

/// From zero to one, or as far as dropout has made weights larger; each head to its own largest if that was chosen.
ColorScale from_zero_to_one(const Session& session, StatisticsCache& cache, TensorId tensor, bool per_head,
                            Index head) {
  // Softmax weights are between 0 and 1, so their range needs no statistics.
  if (stage_of(tensor).kind == StageKind::rowwise && !per_head) return ColorScale::from_zero();
  const double largest = statistics_for(session, cache, tensor, per_head, head).max;
  return ColorScale::from_zero(per_head && largest > 0 ? largest : std::max(1.0, largest));
}

ColorScale range_of(const Session& session, StatisticsCache& cache, TensorId tensor, Index head) {
  const HeatmapOptions& options = session.display().heatmap(tensor);
  const auto statistics = [&] { return statistics_for(session, cache, tensor, options.per_head, head); };
  switch (range_kind_of(options.range, tensor, session.trace().setup)) {
    case RangeKind::unit: return from_zero_to_one(session, cache, tensor, options.per_head, head);
    case RangeKind::even: return ColorScale::times_even();
    case RangeKind::top: return from_zero_to_top(session, cache, tensor, options.per_head, head);
    case RangeKind::automatic: {
      const TensorStatistics s = statistics();
      return ColorScale::around_zero(s.min, s.max);
    }
    case RangeKind::shared: return ColorScale::symmetric(shared_magnitude(session, cache));
    case RangeKind::min_max: {
      const TensorStatistics s = statistics();
      return {.lo = s.min, .hi = s.min < s.max ? s.max : s.min + 1};
    }
    case RangeKind::fixed: break;
  }
  const TensorStatistics s = statistics();
  return {.lo = options.low, .hi = options.high, .cut_below = s.min<options.low, .cut_above = s.max> options.high};
}

ColorMapName map_of(const Display& display, TensorId tensor) {
  const ColourMap own = display.heatmap(tensor).colour_map;
  switch (own == ColourMap::automatic ? display.appearance.colour_map : own) {
    case ColourMap::automatic: break;
#define HEADLIGHT_CASE(name, ...) \
  case ColourMap::name: return ColorMapName::name;
      HEADLIGHT_COLOUR_MAPS(HEADLIGHT_CASE)
#undef HEADLIGHT_CASE
  }
  return info(tensor).probability ? ColorMapName::weights : ColorMapName::signed_;
}

}  // namespace

void StatisticsCache::keep(const Trace& a, const Trace* b, const TraceSummary& known) {
  const std::uint64_t b_version = b ? b->version : 0;
  if (a_ == a.version && b_ == b_version) return;
  const auto in = [](const Trace& trace, const Tensor& tensor) {
    return std::any_of(trace.tensors.begin(), trace.tensors.end(),
                       [&](const Tensor& own) { return !own.empty() && own.shares_block(tensor); });
  };
  std::erase_if(entries_, [&](const Entry& entry) { return !in(a, entry.tensor) && !(b && in(*b, entry.tensor)); });
  for (const KnownStatistics& one : known.statistics) entry_of(one.tensor).statistics = one.statistics;
  for (const KnownMultiples& one : known.multiples) entry_of(one.weights).multiples = one.multiples;
  a_ = a.version;
  b_ = b_version;
}

StatisticsCache::Entry& StatisticsCache::entry_of(const Tensor& tensor) {
  ++clock_;
  auto found = std::find_if(entries_.begin(), entries_.end(),
                            [&](const Entry& entry) { return entry.tensor.same_window(tensor); });
  if (found == entries_.end()) {
    if (entries_.size() >= remembered)
      entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                      [](const Entry& a, const Entry& b) { return a.used < b.used; }));
    found = entries_.insert(entries_.end(), Entry{tensor, {}, {}, {}, 0});
  }
  found->used = clock_;
  return *found;
}

TensorStatistics StatisticsCache::of(Threads& threads, const Tensor& tensor, bool minus_infinity_is_masked) {
  Entry& entry = entry_of(tensor);
  if (!entry.statistics) entry.statistics = tensor_statistics(threads, tensor, minus_infinity_is_masked);
  return *entry.statistics;
}

double StatisticsCache::top_of(const Tensor& tensor) {
  Entry& entry = entry_of(tensor);
  if (!entry.top) entry.top = positive_quantile(tensor, shown_apart);
  return *entry.top;
}

Tensor StatisticsCache::multiples_of(Threads& threads, const Trace& trace, TensorId weights) {
  Entry& entry = entry_of(trace[weights]);
  if (entry.multiples.empty()) entry.multiples = multiples_of_even(threads, trace, weights);
  return entry.multiples;
}

TensorStatistics statistics_of(Threads& threads, const Trace& trace, StatisticsCache& cache, TensorId tensor) {
  return cache.of(threads, trace[tensor], info(tensor).hides_as_infinity());
}

ColorScale color_scale_of(const Session& session, StatisticsCache& cache, TensorId tensor, Index head) {
  const HeatmapOptions& options = session.display().heatmap(tensor);
  ColorScale scale = range_of(session, cache, tensor, head);
  scale.map = map_of(session.display(), tensor);
  if (options.logarithmic && !scale.logarithmic && !scale.diverging() && scale.hi > 0) {
    scale.logarithmic = true;
    scale.cut_below |= scale.lo <= 0;
    if (scale.lo <= 0) scale.lo = scale.hi * log_reach;
  }
  return scale;
}

Tensor shaded_by(const ViewContext& context, const ColorScale& scale, TensorId tensor) {
  const Trace& trace = context.session.trace();
  if (!scale.multiples) return trace[tensor];
  return context.memory.get<StatisticsCache>().multiples_of(*context.session.threads(), trace, tensor);
}

}  // namespace headlight
