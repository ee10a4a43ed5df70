#include "app/session/studies/trace_summary.hpp"

#include <algorithm>
#include <iterator>

#include "app/session/display/display_entries.hpp"
#include "app/session/studies/key_shares.hpp"

namespace headlight {
namespace {

/// Slices with at least this many cells are summarised in the background, because a frame cannot read so many for each
/// picture.
constexpr Index large = Index{1} << 16;

KnownStatistics statistics_of(Threads& threads, const Tensor& tensor, bool minus_infinity_is_masked,
                              const std::vector<KnownStatistics>& known) {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.tensor.same_window(tensor); });
  return found != known.end() ? *found
                              : KnownStatistics{tensor, tensor_statistics(threads, tensor, minus_infinity_is_masked)};
}

std::vector<KnownMultiples> multiples_of(Threads& threads, const Trace& trace,
                                         const std::vector<KnownMultiples>& known) {
  std::vector<KnownMultiples> multiples;
  for (const TensorInfo& about : all_tensors()) {
    if (!trace.has(about.id) || !about.is_attention() || trace.setup.key_length() <= few_keys) continue;
    const Tensor& weights = trace[about.id];
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.weights.same_window(weights); });
    multiples.push_back(found != known.end() ? *found
                                             : KnownMultiples{weights, multiples_of_even(threads, trace, about.id)});
  }
  return multiples;
}

/// The large slices of a batch item, each once, since query heads that share keys and values share their slices.
/// Weights are included as multiples of even attention.
std::vector<Slice> large_slices(const Trace& trace, Index batch, const std::vector<KnownMultiples>& multiples) {
  std::vector<Slice> slices;
  for (const TensorInfo& about : all_tensors()) {
    if (!trace.has(about.id)) continue;
    const Index heads = about.has_heads() ? trace.setup.sizes.heads : 1;
    for (Index head = 0; head < heads; ++head) {
      Slice slice = slice_of(trace, about.id, batch, head);
      for (const KnownMultiples& one : multiples)
        if (one.weights.same_window(trace[about.id])) slice.values = one.multiples.selected(1, head).selected(0, batch);
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
  summary.multiples = multiples_of(threads, trace, known.multiples);
  std::vector<Pyramid> pyramids;
  for (Slice& slice : large_slices(trace, batch, summary.multiples)) {
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
  std::copy_if(known.multiples.begin(), known.multiples.end(), std::back_inserter(left.multiples),
               [&](const KnownMultiples& one) { return has(one.weights); });
  const auto is_known = [&](const Tensor& values) {
    return has(values) || std::any_of(left.multiples.begin(), left.multiples.end(),
                                      [&](const KnownMultiples& one) { return one.multiples.shares_block(values); });
  };
  std::vector<Pyramid> pyramids;
  std::copy_if(known.pyramids->begin(), known.pyramids->end(), std::back_inserter(pyramids), [&](const Pyramid& one) {
    return is_known(one.slice().values) && (one.slice().hidden.empty() || has(one.slice().hidden));
  });
  left.pyramids = std::make_shared<const std::vector<Pyramid>>(std::move(pyramids));
  return left;
}

}  // namespace headlight
