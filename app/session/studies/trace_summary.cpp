#include "app/session/studies/trace_summary.hpp"

#include <algorithm>
#include <iterator>

namespace headlight {
namespace {

/// From this many cells on a slice is summarised in the background: a frame cannot read so many for each picture.
constexpr Index large = Index{1} << 16;

KnownStatistics statistics_of(Threads& threads, const Tensor& tensor, bool minus_infinity_is_masked,
                              const std::vector<KnownStatistics>& known) {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.tensor.same_window(tensor); });
  return found != known.end() ? *found
                              : KnownStatistics{tensor, tensor_statistics(threads, tensor, minus_infinity_is_masked)};
}

/// The large slices of a batch item, each once: query heads that share keys and values share their slices.
std::vector<Slice> large_slices(const Trace& trace, Index batch) {
  std::vector<Slice> slices;
  for (const TensorInfo& about : all_tensors()) {
    if (!trace.has(about.id)) continue;
    const Index heads = about.has_heads() ? trace.setup.sizes.heads : 1;
    for (Index head = 0; head < heads; ++head) {
      Slice slice = slice_of(trace, about.id, batch, head);
      if (slice.rows() * slice.columns() < large) break;
      if (slices.empty() || !slices.back().same_window(slice)) slices.push_back(std::move(slice));
    }
  }
  return slices;
}

}  // namespace

TraceSummary summary_of(Threads& threads, const Trace& trace, Index batch, const TraceSummary& known,
                        const std::stop_token& stop) {
  TraceSummary summary;
  for (const TensorInfo& about : all_tensors()) {
    if (stop.stop_requested()) return summary;
    if (!trace.has(about.id)) continue;
    summary.statistics.push_back(statistics_of(threads, trace[about.id], about.hides_as_infinity(), known.statistics));
  }
  std::vector<Pyramid> pyramids;
  for (Slice& slice : large_slices(trace, batch)) {
    if (stop.stop_requested()) return summary;
    const auto found = std::find_if(known.pyramids->begin(), known.pyramids->end(),
                                    [&](const Pyramid& one) { return one.slice().same_window(slice); });
    pyramids.push_back(found != known.pyramids->end() ? *found : Pyramid(std::move(slice)));
    if (found == known.pyramids->end()) pyramids.back().prepare(threads);
  }
  summary.pyramids = std::make_shared<const std::vector<Pyramid>>(std::move(pyramids));
  return summary;
}

TraceSummary still_known(const TraceSummary& known, const Trace& trace) {
  const auto has = [&](const Tensor& tensor) {
    return std::any_of(trace.tensors.begin(), trace.tensors.end(),
                       [&](const Tensor& own) { return !own.empty() && own.shares_block(tensor); });
  };
  TraceSummary left;
  std::copy_if(known.statistics.begin(), known.statistics.end(), std::back_inserter(left.statistics),
               [&](const KnownStatistics& one) { return has(one.tensor); });
  std::vector<Pyramid> pyramids;
  std::copy_if(known.pyramids->begin(), known.pyramids->end(), std::back_inserter(pyramids), [&](const Pyramid& one) {
    return has(one.slice().values) && (one.slice().hidden.empty() || has(one.slice().hidden));
  });
  left.pyramids = std::make_shared<const std::vector<Pyramid>>(std::move(pyramids));
  return left;
}

}  // namespace headlight
