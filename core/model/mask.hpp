// Which keys a query may see.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// A query that the mask hides every key from; its weights are a row of zeros.
struct BlindQuery {
  Index batch = 0;
  Index query = 0;
  friend bool operator==(const BlindQuery&, const BlindQuery&) = default;
};

/// From `begin` up to and without `end`; empty where they are equal.
struct KeyRange {
  Index begin = 0;
  Index end = 0;
};

/// The mask of a (valid) setup, as rules. The same for every head; only padding differs between batch items.
/// - causal: key j is visible to query i where j <= i, also when the lengths differ
/// - padding: key j is visible where j < valid_lengths[batch item]
/// - window: key j is visible to query i where |i - j| <= window
/// - custom: key j is hidden from query i where [i, j] is blocked
class Mask {
 public:
  explicit Mask(const Setup& setup);

  bool visible(Index batch, Index query, Index key) const;
  /// The kinds that hide the key from the query; empty where it is visible.
  std::vector<MaskKind> hidden_by(Index batch, Index query, Index key) const;
  /// The keys that causal, padding and window leave to a query: one interval. Custom then punches holes into it.
  KeyRange range(Index batch, Index query) const;
  /// The keys that custom hides from a query, in order, as pairs (query, key).
  std::span<const std::pair<Index, Index>> holes(Index query) const;
  bool is_blind(Index batch, Index query) const;
  /// One row at once: row[key] = 1 where visible. `row` has key_length entries.
  void visible_row(Index batch, Index query, std::vector<unsigned char>& row) const;
  bool hides_nothing() const { return settings_.kinds.empty(); }

 private:
  MaskSettings settings_;
  Index key_length_;
  std::vector<std::pair<Index, Index>> blocked_;  ///< sorted, each once; empty where custom is no kind
};

/// Queries that the mask hides every key from, in order of batch item and query.
std::vector<BlindQuery> blind_queries(const Setup& setup);

}  // namespace headlight
