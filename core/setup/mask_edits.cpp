#include "core/setup/edits.hpp"

#include <algorithm>

namespace headlight {

void fit_mask(Setup& setup) {
  MaskSettings& mask = setup.mask;
  const Index keys = setup.key_length();
  if (!mask.valid_lengths.empty()) {
    mask.valid_lengths.resize(static_cast<std::size_t>(setup.sizes.batch), mask.valid_lengths.back());
    for (Index& length : mask.valid_lengths) length = std::clamp<Index>(length, 0, keys);
  }
  std::erase_if(mask.blocked, [&](const auto& pair) {
    return pair.first < 0 || pair.second < 0 || pair.first >= setup.sizes.query_length || pair.second >= keys;
  });
  mask.window = std::max<Index>(mask.window, 0);
}

Setup with_mask_kind(const Setup& setup, MaskKind kind, bool on) {
  Setup edited = setup;
  std::vector<MaskKind>& kinds = edited.mask.kinds;
  std::erase(kinds, kind);
  if (!on) return edited;
  kinds.push_back(kind);
  std::sort(kinds.begin(), kinds.end());
  std::vector<Index>& lengths = edited.mask.valid_lengths;
  if (kind == MaskKind::padding && static_cast<Index>(lengths.size()) != edited.sizes.batch) {
    lengths.assign(static_cast<std::size_t>(edited.sizes.batch), std::max<Index>(edited.key_length() - 1, 1));
  }
  fit_mask(edited);
  return edited;
}

Setup without_mask(const Setup& setup) {
  Setup edited = setup;
  edited.mask.kinds.clear();
  return edited;
}

Setup with_blocked(const Setup& setup, Index query, Index key, bool hidden) {
  return with_blocked(setup, {{query, key}}, hidden);
}

Setup with_blocked(const Setup& setup, std::vector<std::pair<Index, Index>> pairs, bool hidden) {
  Setup edited = with_mask_kind(setup, MaskKind::custom, true);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  auto& blocked = edited.mask.blocked;
  if (hidden) {
    // Passes over the blocked pairs once: there may be far more of them than in one stroke of the brush.
    std::vector<bool> known(pairs.size(), false);
    for (const auto& pair : blocked) {
      const auto found = std::lower_bound(pairs.begin(), pairs.end(), pair);
      if (found != pairs.end() && *found == pair) known[static_cast<std::size_t>(found - pairs.begin())] = true;
    }
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (!known[i]) blocked.push_back(pairs[i]);
  } else {
    std::erase_if(blocked, [&](const auto& pair) { return std::binary_search(pairs.begin(), pairs.end(), pair); });
  }
  fit_mask(edited);
  return edited;
}

bool is_blocked(const Setup& setup, Index query, Index key) {
  const auto& blocked = setup.mask.blocked;
  return std::find(blocked.begin(), blocked.end(), std::pair{query, key}) != blocked.end();
}

namespace {

/// Puts the head into the list, in its order, or takes it out.
void put_head(std::vector<LayerHead>& heads, const LayerHead& head, bool in) {
  std::erase(heads, head);
  if (in) heads.insert(std::ranges::upper_bound(heads, head), head);
}

}  // namespace

Setup with_ablated(const Setup& setup, Index head, bool ablated) {
  Setup edited = setup;
  put_head(edited.attention.ablated_heads, {setup.layer, head}, ablated);
  return edited;
}

Setup with_ablated_afterwards(const Setup& setup, Index head, bool ablated) {
  Setup edited = with_ablated(setup, head, ablated);
  if (!setup.has_task()) return edited;
  const bool learns_with_it = !while_learning(setup).is_ablated(head);
  put_head(edited.training.with_heads, {setup.layer, head}, ablated && learns_with_it);
  put_head(edited.training.without_heads, {setup.layer, head}, !ablated && !learns_with_it);
  return edited;
}

}  // namespace headlight
