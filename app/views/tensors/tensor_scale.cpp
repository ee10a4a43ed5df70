#include "app/views/tensors/tensor_scale.hpp"
#include "core/stages/table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlight {
namespace {

constexpr std::size_t remembered = 128;
/// How far below its top a logarithmic scale reaches.
constexpr double log_reach = 1e-4;

double magnitude(const TensorStatistics& s) { return std::max(std::abs(s.min), std::abs(s.max)); }

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

std::pair<double, double> range_of(const Session& session, StatisticsCache& cache, TensorId tensor, Index head) {
  const HeatmapOptions& options = session.display().heatmap(tensor);
  if (options.range == RangeKind::fixed) return {options.low, options.high};
  const auto around_zero = [](double m) { return m > 0 ? std::pair{-m, m} : std::pair{-1.0, 1.0}; };
  if (options.range == RangeKind::shared) return around_zero(shared_magnitude(session, cache));
  // Softmax weights lie between 0 and 1, so their range needs no statistics. (Inverted dropout makes some larger.)
  if (stage_of(tensor).kind == StageKind::rowwise && options.range != RangeKind::min_max && !options.per_head)
    return {0.0, 1.0};
  const TensorStatistics s = statistics_for(session, cache, tensor, options.per_head, head);
  if (options.range == RangeKind::min_max) return s.min < s.max ? std::pair{s.min, s.max} : std::pair{s.min, s.min + 1};
  if (info(tensor).probability) return {0.0, options.per_head && s.max > 0 ? s.max : std::max(1.0, s.max)};
  return around_zero(magnitude(s));
}

ColorMapName map_of(const HeatmapOptions& options, TensorId tensor) {
  if (options.colour_map == ColourMap::viridis) return ColorMapName::viridis;
  if (options.colour_map == ColourMap::magma) return ColorMapName::magma;
  return info(tensor).probability ? ColorMapName::weights : ColorMapName::signed_;
}

}  // namespace

void StatisticsCache::keep(const Trace& a, const Trace* b, const std::vector<KnownStatistics>& known) {
  const std::uint64_t b_version = b ? b->version : 0;
  if (a_ == a.version && b_ == b_version) return;
  const auto in = [](const Trace& trace, const Tensor& tensor) {
    return std::any_of(trace.tensors.begin(), trace.tensors.end(),
                       [&](const Tensor& own) { return !own.empty() && own.shares_block(tensor); });
  };
  std::erase_if(entries_, [&](const Entry& entry) { return !in(a, entry.tensor) && !(b && in(*b, entry.tensor)); });
  for (const KnownStatistics& one : known)
    if (std::none_of(entries_.begin(), entries_.end(),
                     [&](const Entry& e) { return e.tensor.same_window(one.tensor); }))
      add(one.tensor, one.statistics);
  a_ = a.version;
  b_ = b_version;
}

void StatisticsCache::add(const Tensor& tensor, const TensorStatistics& statistics) {
  if (entries_.size() >= remembered)
    entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                    [](const Entry& a, const Entry& b) { return a.used < b.used; }));
  entries_.push_back({tensor, statistics, clock_});
}

TensorStatistics StatisticsCache::of(Threads& threads, const Tensor& tensor, bool minus_infinity_is_masked) {
  ++clock_;
  for (Entry& entry : entries_) {
    if (!entry.tensor.same_window(tensor)) continue;
    entry.used = clock_;
    return entry.statistics;
  }
  const TensorStatistics found = tensor_statistics(threads, tensor, minus_infinity_is_masked);
  add(tensor, found);
  return found;
}

TensorStatistics statistics_of(Threads& threads, const Trace& trace, StatisticsCache& cache, TensorId tensor) {
  return cache.of(threads, trace[tensor], info(tensor).hides_as_infinity());
}

TensorStatistics statistics_of_head(Threads& threads, const Trace& trace, StatisticsCache& cache, TensorId tensor,
                                    Index head) {
  const auto axis = info(tensor).head_axis();
  if (!axis) return statistics_of(threads, trace, cache, tensor);
  const Index place = info(tensor).has_kv_heads() ? trace.setup.kv_head_of(head) : head;
  return cache.of(threads, trace[tensor].selected(*axis, place), info(tensor).hides_as_infinity());
}

ColorScale color_scale_of(const Session& session, StatisticsCache& cache, TensorId tensor, Index head) {
  const HeatmapOptions& options = session.display().heatmap(tensor);
  const auto [low, high] = range_of(session, cache, tensor, head);
  ColorScale scale{map_of(options, tensor), low, high, false};
  if (options.logarithmic && !scale.diverging() && high > 0) {
    scale.logarithmic = true;
    scale.lo = low > 0 ? low : high * log_reach;
  }
  return scale;
}

}  // namespace headlight
