#include "core/model/mask.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace headlight {

Mask::Mask(const Setup& setup) : settings_(setup.mask), key_length_(setup.key_length()) {
  blocked_ = std::move(settings_.blocked);
  if (!settings_.has(MaskKind::custom)) blocked_.clear();
  std::sort(blocked_.begin(), blocked_.end());
  blocked_.erase(std::unique(blocked_.begin(), blocked_.end()), blocked_.end());
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

KeyRange Mask::range(Index batch, Index query) const {
  KeyRange range{0, key_length_};
  for (MaskKind kind : settings_.kinds) {
    switch (kind) {
      case MaskKind::causal: range.end = std::min(range.end, query + 1); break;
      case MaskKind::padding:
        range.end = std::min(range.end, settings_.valid_lengths[static_cast<std::size_t>(batch)]);
        break;
      case MaskKind::window:
        range.begin = std::max(range.begin, query - std::min(query, settings_.window));
        if (settings_.window < key_length_) range.end = std::min(range.end, query + settings_.window + 1);
        break;
      case MaskKind::custom: break;
    }
  }
  range.begin = std::min(range.begin, range.end);
  return range;
}

std::span<const std::pair<Index, Index>> Mask::holes(Index query) const {
  const auto by_query = [](const std::pair<Index, Index>& pair, Index value) { return pair.first < value; };
  const auto first = std::lower_bound(blocked_.begin(), blocked_.end(), query, by_query);
  return {first, std::lower_bound(first, blocked_.end(), query + 1, by_query)};
}

Index Mask::visible_keys(Index batch, Index query) const {
  const KeyRange keys = range(batch, query);
  const auto hidden = holes(query);
  const auto inside = std::count_if(hidden.begin(), hidden.end(), [&](const auto& hole) {
    return keys.begin <= hole.second && hole.second < keys.end;
  });
  return keys.end - keys.begin - inside;
}

void Mask::visible_row(Index batch, Index query, std::vector<unsigned char>& row) const {
  const KeyRange keys = range(batch, query);
  row.assign(static_cast<std::size_t>(key_length_), 0);
  std::fill(row.begin() + keys.begin, row.begin() + keys.end, static_cast<unsigned char>(1));
  for (const auto& hole : holes(query)) row[static_cast<std::size_t>(hole.second)] = 0;
}

std::vector<BlindQuery> blind_queries(const Setup& setup) {
  std::vector<BlindQuery> blind;
  const Mask mask(setup);
  if (mask.hides_nothing()) return blind;
  for (Index batch = 0; batch < setup.sizes.batch; ++batch) {
    for (Index query = 0; query < setup.sizes.query_length; ++query) {
      if (mask.is_blind(batch, query)) blind.push_back({batch, query});
    }
  }
  return blind;
}

}  // namespace headlight
