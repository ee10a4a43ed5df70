#include "core/mask.hpp"

#include <algorithm>
#include <cstdlib>

namespace headlight {

Mask::Mask(const Setup& setup) : settings_(setup.mask), key_length_(setup.key_length()), blocked_(setup.mask.blocked) {
  std::sort(blocked_.begin(), blocked_.end());
}

bool Mask::visible(Index batch, Index query, Index key) const { return hidden_by(batch, query, key).empty(); }

std::vector<MaskKind> Mask::hidden_by(Index batch, Index query, Index key) const {
  std::vector<MaskKind> kinds;
  for (MaskKind kind : settings_.kinds) {
    const bool hides = [&] {
      switch (kind) {
        case MaskKind::causal: return key > query;
        case MaskKind::padding: return key >= settings_.valid_lengths[static_cast<std::size_t>(batch)];
        case MaskKind::window: return std::abs(query - key) > settings_.window;
        case MaskKind::custom: return std::binary_search(blocked_.begin(), blocked_.end(), std::pair{query, key});
      }
      return false;
    }();
    if (hides) kinds.push_back(kind);
  }
  return kinds;
}

void Mask::visible_row(Index batch, Index query, std::vector<unsigned char>& row) const {
  // Causal, padding and window leave one interval of keys; custom then punches holes into it.
  Index begin = 0;
  Index end = key_length_;
  for (MaskKind kind : settings_.kinds) {
    switch (kind) {
      case MaskKind::causal: end = std::min(end, query + 1); break;
      case MaskKind::padding: end = std::min(end, settings_.valid_lengths[static_cast<std::size_t>(batch)]); break;
      case MaskKind::window:
        begin = std::max(begin, query - std::min(query, settings_.window));
        end = settings_.window < key_length_ ? std::min(end, query + settings_.window + 1) : end;
        break;
      case MaskKind::custom: break;
    }
  }
  row.assign(static_cast<std::size_t>(key_length_), 0);
  if (begin < end) std::fill(row.begin() + begin, row.begin() + end, static_cast<unsigned char>(1));
  if (!settings_.has(MaskKind::custom)) return;
  auto hole = std::lower_bound(blocked_.begin(), blocked_.end(), std::pair{query, Index{0}});
  for (; hole != blocked_.end() && hole->first == query; ++hole) row[static_cast<std::size_t>(hole->second)] = 0;
}

std::vector<BlindQuery> blind_queries(const Setup& setup) {
  std::vector<BlindQuery> blind;
  const Mask mask(setup);
  if (mask.hides_nothing()) return blind;
  std::vector<unsigned char> row;
  for (Index batch = 0; batch < setup.sizes.batch; ++batch) {
    for (Index query = 0; query < setup.sizes.query_length; ++query) {
      mask.visible_row(batch, query, row);
      if (std::find(row.begin(), row.end(), 1) == row.end()) blind.push_back({batch, query});
    }
  }
  return blind;
}

}  // namespace headlight
