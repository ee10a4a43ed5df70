// The colour scale of a tensor, from the person's options for it and from its numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "app/session/session.hpp"
#include "app/session/studies/trace_summary.hpp"
#include "app/ui/drawing/color_scale.hpp"

namespace headlight {

/// Statistics computed once for each window on a tensor; the least recently used are forgotten when there are too many.
class StatisticsCache {
 public:
  /// Forgets the statistics of all other traces, because they keep those traces' numbers in memory (`b` may be null).
  /// `known` are statistics of `a` that need not be computed again.
  void keep(const Trace& a, const Trace* b, const std::vector<KnownStatistics>& known);
  TensorStatistics of(Threads& threads, const Tensor& tensor, bool minus_infinity_is_masked = false);

 private:
  struct Entry {
    Tensor tensor;
    TensorStatistics statistics;
    std::uint64_t used = 0;
  };
  void add(const Tensor& tensor, const TensorStatistics& statistics);

  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
  std::uint64_t a_ = 0;  ///< versions of the traces that are kept
  std::uint64_t b_ = 0;
};

/// The statistics of a whole tensor, or of one head of it where it has heads. The tensor must be in the trace.
TensorStatistics statistics_of(Threads& threads, const Trace& trace, StatisticsCache& cache, TensorId tensor);
TensorStatistics statistics_of_head(Threads& threads, const Trace& trace, StatisticsCache& cache, TensorId tensor,
                                    Index head);

/// The scale of a tensor of the session's trace; `head` (a query head) matters only if each head has its own range.
ColorScale color_scale_of(const Session& session, StatisticsCache& cache, TensorId tensor, Index head);

}  // namespace headlight
