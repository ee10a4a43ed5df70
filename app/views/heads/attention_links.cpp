#include "app/views/heads/attention_links.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "app/session/studies/in_chunks.hpp"

namespace headlight {
namespace {

/// Orders links from the smallest weight to the largest. Among equal weights later links count as smaller: when there
/// are too many links, the smallest are dropped.
bool smaller(const AttentionLink& a, const AttentionLink& b) {
  return std::tuple(a.weight, b.head, b.query, b.key) < std::tuple(b.weight, a.head, a.query, a.key);
}

/// Weights per block. A block is first scanned for its largest weight, and only if that reaches the threshold are its
/// cells visited.
constexpr Index block_size = 512;

struct Found {
  std::vector<AttentionLink> links;
  Index above = 0;
  double largest = 0;

  /// Keeps the `most_links` largest links.
  void trim() {
    if (links.size() <= most_links) return;
    const auto kept = links.end() - static_cast<std::ptrdiff_t>(most_links);
    std::nth_element(links.begin(), kept, links.end(), smaller);
    links.erase(links.begin(), kept);
  }
};

/// The largest of the numbers, but at least 0; NaN is skipped. Several are compared in parallel, because a single chain
/// of comparisons would be slow.
template <class T>
T largest_of(const T* values, Index count) {
  constexpr Index lanes = 8;
  T largest[lanes] = {};
  Index i = 0;
  for (; i + lanes <= count; i += lanes)
    for (Index lane = 0; lane < lanes; ++lane) largest[lane] = std::max(largest[lane], values[i + lane]);
  for (; i < count; ++i) largest[0] = std::max(largest[0], values[i]);
  return std::ranges::max(largest);
}

/// The links of one head, from its weights in [begin, end) in row-major order.
template <class T>
Found collect(const T* values, Index begin, Index end, Index keys, Index head, double threshold) {
  Found found;
  for (Index block = begin; block < end; block += block_size) {
    const Index stop = std::min(block + block_size, end);
    const auto largest = static_cast<double>(largest_of(values + block, stop - block));
    found.largest = std::max(found.largest, largest);
    if (!(largest > 0) || largest < threshold) continue;
    for (Index index = block; index < stop; ++index) {
      const auto weight = static_cast<double>(values[index]);
      if (!(weight > 0) || weight < threshold) continue;
      ++found.above;
      found.links.push_back({static_cast<float>(weight), static_cast<std::int32_t>(head),
                             static_cast<std::int32_t>(index / keys), static_cast<std::int32_t>(index % keys)});
    }
    if (found.links.size() > 4 * most_links) found.trim();
  }
  found.trim();
  return found;
}

void find_in_head(Threads& threads, const Tensor& weights, Index head, double threshold, Found& all) {
  const Tensor flat = weights.contiguous();
  with_element_type(flat.precision(), [&](auto zero) {
    const auto* const values = flat.data<decltype(zero)>();
    const auto parts = in_chunks<Found>(threads, flat.elements(), [&](Index begin, Index end) {
      return collect(values, begin, end, flat.shape().back(0), head, threshold);
    });
    for (const Found& part : parts) {
      all.links.insert(all.links.end(), part.links.begin(), part.links.end());
      all.above += part.above;
      all.largest = std::max(all.largest, part.largest);
      all.trim();
    }
  });
}

}  // namespace

AttentionLinks find_links(Threads& threads, const Trace& trace, const LinkRequest& request,
                          const std::stop_token& stop) {
  Found all;
  for (Index head : request.heads) {
    if (stop.stop_requested()) break;
    find_in_head(threads, trace[request.tensor].selected(0, request.batch).selected(0, head), head, request.threshold,
                 all);
  }
  std::sort(all.links.begin(), all.links.end(), smaller);
  return {.request = request, .links = std::move(all.links), .above = all.above, .largest = all.largest};
}

const AttentionLinks& LinkFinder::of(Session& session, const LinkRequest& request) {
  const Shape& weights = session.trace()[request.tensor].shape();
  const Index cells = static_cast<Index>(request.heads.size()) * weights[2] * weights[3];
  last_ = found_.of(session, request, cells,
                    [trace = session.state().trace, request](Threads& threads, const std::stop_token& stop) {
                      return find_links(threads, *trace, request, stop);
                    });
  if (last_) return *last_;
  none_.request = request;
  none_.ready = false;
  return *(last_ = &none_);
}

}  // namespace headlight
