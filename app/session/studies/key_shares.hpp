// Rows of weights as distributions over the keys, and how spread out they are compared with even attention.
#pragma once

#include <vector>

#include "core/compute/threads.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The share of each key, (key,), padded with zeros to a whole number of vector lanes.
using KeyShares = std::vector<double>;

/// Shares for `keys` keys, all zero.
KeyShares empty_shares(Index keys);

/// Reads row `query` of a contiguous (query, key) matrix into `into` and divides it by its sum. Returns false if the
/// sum is zero or not finite; then the content of `into` is undefined.
bool read_shares(const Tensor& matrix, Index query, KeyShares& into);

/// The entropy −Σ p log2 p, in bits.
double entropy(const KeyShares& p);
/// The entropy of (p + q) / 2, in bits.
double entropy_between(const KeyShares& p, const KeyShares& q);
/// The mean distance between query and key, Σ p |query − key|, in positions.
double mean_distance(const KeyShares& p, Index query);
/// The largest share.
double peak(const KeyShares& p);

/// Weights as multiples of even attention: each weight times the number of keys that its query may see, so that 1 is
/// the weight of each of those keys in even attention. Same shape as the tensor, (batch, head, query, key), which must
/// be in the trace.
Tensor multiples_of_even(Threads& threads, const Trace& trace, TensorId weights);

}  // namespace headlight
