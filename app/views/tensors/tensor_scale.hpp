// The colour scale of a tensor, from the person's options for it and from its numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/session/session.hpp"
#include "app/session/studies/trace_summary.hpp"
#include "app/ui/drawing/color_scale.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {

/// What colours need to know of a tensor, computed once for each window on it; the least recently used are forgotten
/// when there are too many.
class StatisticsCache {
 public:
  /// Forgets what belongs to all other traces, because it keeps those traces' numbers in memory (`b` may be null).
  /// `known` is of `a` and need not be computed again.
  void keep(const Trace& a, const Trace* b, const TraceSummary& known);
  TensorStatistics of(Threads& threads, const Tensor& tensor, bool minus_infinity_is_masked = false);
  /// The top of a range from zero that shows most of the tensor's positive numbers apart: one in a hundred is above it.
  /// Judged by some ten thousand of them, so that it costs no more for a large tensor.
  double top_of(const Tensor& tensor);
  /// The weights of a trace as multiples of even attention.
  Tensor multiples_of(Threads& threads, const Trace& trace, TensorId weights);

 private:
  struct Entry {
    Tensor tensor;
    std::optional<TensorStatistics> statistics;
    std::optional<double> top;
    Tensor multiples;  ///< empty until asked for
    std::uint64_t used = 0;
  };
  Entry& entry_of(const Tensor& tensor);

  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
  std::uint64_t a_ = 0;  ///< versions of the traces that are kept
  std::uint64_t b_ = 0;
};

/// The statistics of a whole tensor, which must be in the trace.
TensorStatistics statistics_of(Threads& threads, const Trace& trace, StatisticsCache& cache, TensorId tensor);

/// The scale of a tensor of the session's trace; `head` (a query head) matters only if each head has its own range.
ColorScale color_scale_of(const Session& session, StatisticsCache& cache, TensorId tensor, Index head);

inline TensorStatistics statistics_of(const ViewContext& context, const Trace& trace, TensorId tensor) {
  return statistics_of(*context.session.threads(), trace, context.memory.get<StatisticsCache>(), tensor);
}
inline ColorScale color_scale_of(const ViewContext& context, TensorId tensor, Index head) {
  return color_scale_of(context.session, context.memory.get<StatisticsCache>(), tensor, head);
}
/// The numbers behind the colours of a tensor of the session's trace.
Tensor shaded_by(const ViewContext& context, const ColorScale& scale, TensorId tensor);

}  // namespace headlight
