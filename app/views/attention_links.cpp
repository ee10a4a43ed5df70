#include "app/views/attention_links.hpp"

#include <algorithm>

namespace headlight {
namespace {

bool smaller(const AttentionLink& a, const AttentionLink& b) { return a.weight < b.weight; }

void collect(const Tensor& weights, Index head, double threshold, AttentionLinks& found) {
  const Tensor flat = weights.contiguous();
  const Index keys = flat.shape().back(0);
  with_element_type(flat.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* const values = flat.template data<T>();
    for (Index place = 0; place < flat.elements(); ++place) {
      const auto weight = static_cast<double>(values[place]);
      if (!(weight > 0)) continue;
      found.largest = std::max(found.largest, weight);
      if (weight < threshold) continue;
      ++found.above;
      found.links.push_back({static_cast<float>(weight), static_cast<std::int32_t>(head),
                             static_cast<std::int32_t>(place / keys), static_cast<std::int32_t>(place % keys)});
    }
  });
}

}  // namespace

AttentionLinks find_links(const Trace& trace, const LinkRequest& request) {
  AttentionLinks found{.request = request, .links = {}};
  for (Index head : request.heads)
    collect(trace[request.tensor].selected(0, request.batch).selected(0, head), head, request.threshold, found);
  auto& links = found.links;
  if (links.size() > most_links) {
    const auto kept = links.end() - static_cast<std::ptrdiff_t>(most_links);
    std::nth_element(links.begin(), kept, links.end(), smaller);
    links.erase(links.begin(), kept);
  }
  std::stable_sort(links.begin(), links.end(), smaller);
  return found;
}

}  // namespace headlight
