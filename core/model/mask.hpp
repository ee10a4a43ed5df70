// Which keys each query may see.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// A query from which the mask hides every key; its weights are a row of zeros.
struct BlindQuery {
  Index batch = 0;
  Index query = 0;
  friend bool operator==(const BlindQuery&, const BlindQuery&) = default;
};

/// The keys from `begin` up to but not including `end`; empty if the two are equal.
struct KeyRange {
  Index begin = 0;
  Index end = 0;
};

/// Where query 0 is among the keys, for causal and window masks: queries are the last positions if there are more keys
/// and the mask is aligned bottom right.
Index first_query_position(const Setup& setup);

/// The mask of a (valid) setup, as rules. All heads have the same mask; batch items differ only in their padding.
/// - causal: key j is visible to query i where j <= position(i)
/// - padding: key j is visible where j < valid_lengths[batch item]; with the padding on the left, the last ones are
/// - window: key j is visible to query i where |position(i) - j| <= window
/// - custom: key j is hidden from query i where [i, j] is blocked
class Mask {
 public:
  explicit Mask(const Setup& setup);

  /// Where a query is among the keys.
  Index position(Index query) const { return first_position_ + query; }
  bool visible(Index batch, Index query, Index key) const;
  /// The mask kinds that hide the key from the query; empty if the key is visible.
  std::vector<MaskKind> hidden_by(Index batch, Index query, Index key) const;
  /// The keys that causal, padding and window leave visible to a query: a single range. A custom mask then hides more
  /// keys inside it.
  KeyRange range(Index batch, Index query) const;
  /// The keys that the custom mask hides from a query, in order, as pairs (query, key).
  std::span<const std::pair<Index, Index>> holes(Index query) const;
  /// How many keys the query may see.
  Index visible_keys(Index batch, Index query) const;
  bool is_blind(Index batch, Index query) const { return visible_keys(batch, query) == 0; }
  /// Fills the mask's row for a query: row[key] = 1 if visible, else 0. `row` must have key_length entries.
  void visible_row(Index batch, Index query, std::vector<unsigned char>& row) const;
  bool hides_nothing() const { return settings_.kinds.empty(); }

 private:
  /// The keys of a batch item that are not padding.
  KeyRange real_keys(Index batch) const;

  MaskSettings settings_;
  Index first_position_;  ///< that of query 0
  Index key_length_;
  std::vector<std::pair<Index, Index>> blocked_;  ///< sorted, each pair once; empty if the setup has no custom mask
};

/// Queries from which the mask hides every key, in order of batch item and query.
std::vector<BlindQuery> blind_queries(const Setup& setup);

}  // namespace headlight
