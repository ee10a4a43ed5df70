#include "core/model/mask.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace headlight {

Index first_query_position(const Setup& setup) {
  const Index more = setup.key_length() - setup.sizes.query_length;
  return setup.mask_align() == MaskAlign::bottom_right ? std::max<Index>(more, 0) : 0;
}

Mask::Mask(const Setup& setup)
    : settings_(setup.mask), first_position_(first_query_position(setup)), key_length_(setup.key_length()) {
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
        case MaskKind::causal: return key > position(query);
        case MaskKind::padding: return key < real_keys(batch).begin || key >= real_keys(batch).end;
        case MaskKind::window: return std::abs(position(query) - key) > settings_.window;
        case MaskKind::custom: return std::binary_search(blocked_.begin(), blocked_.end(), std::pair{query, key});
      }
      return false;
    }();
    if (hides) kinds.push_back(kind);
  }
  return kinds;
}

KeyRange Mask::real_keys(Index batch) const {
  const Index length = settings_.valid_lengths[static_cast<std::size_t>(batch)];
  if (settings_.padding_side == PaddingSide::left) return {key_length_ - length, key_length_};
  return {0, length};
}

KeyRange Mask::range(Index batch, Index query) const {
  KeyRange range{0, key_length_};
  const Index at = position(query);
  for (MaskKind kind : settings_.kinds) {
    switch (kind) {
      case MaskKind::causal: range.end = std::min(range.end, at + 1); break;
      case MaskKind::padding:
        range.begin = std::max(range.begin, real_keys(batch).begin);
        range.end = std::min(range.end, real_keys(batch).end);
        break;
      case MaskKind::window:
        range.begin = std::max(range.begin, at - std::min(at, settings_.window));
        if (settings_.window < key_length_) range.end = std::min(range.end, at + settings_.window + 1);
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
