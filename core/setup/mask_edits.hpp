// Edits of what is hidden: masks (kinds, lengths, the window and painted pairs) and ablated heads.
#pragma once

#include <utility>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// A kind of mask on or off. Padding without lengths that fit starts by hiding each item's last key.
Setup with_mask_kind(const Setup& setup, MaskKind kind, bool on);
Setup without_mask(const Setup& setup);
Setup with_valid_length(const Setup& setup, Index batch, Index length);
Setup with_window(const Setup& setup, Index window);
/// Paints one cell of the custom mask, which it switches on.
Setup with_blocked(const Setup& setup, Index query, Index key, bool hidden);
/// Paints many, [query, key] in any order. Pairs that stay keep their order; new ones follow.
Setup with_blocked(const Setup& setup, std::vector<std::pair<Index, Index>> pairs, bool hidden);
bool is_blocked(const Setup& setup, Index query, Index key);

/// Valid lengths one per batch item, and neither they nor blocked pairs beyond the keys.
void fit_mask(Setup& setup);

/// Ablates a head, or brings it back; the heads stay in order.
Setup with_ablated(const Setup& setup, Index head, bool ablated);

}  // namespace headlight
