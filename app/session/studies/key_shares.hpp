// Rows of weights read as distributions over the keys, and how spread out they are.
#pragma once

#include <vector>

#include "core/model/tensor.hpp"

namespace headlight {

/// The share of each key.
using KeyShares = std::vector<double>;

/// Reads row `query` of a dense matrix (query, key) and divides it by its sum. False where that is nothing or no
/// number; then `into` holds nothing of use.
bool read_shares(const Tensor& matrix, Index query, KeyShares& into);

/// −Σ p log2 p, in bits.
double entropy(const KeyShares& p);
/// The entropy of (p + q) / 2.
double entropy_between(const KeyShares& p, const KeyShares& q);
/// Σ p |query − key|, in positions.
double mean_distance(const KeyShares& p, Index query);
/// The largest share.
double peak(const KeyShares& p);

}  // namespace headlight
