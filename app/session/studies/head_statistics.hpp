// Describes what each head does: the name of a simple pattern, and a few numbers for how spread out its attention is,
// how far it reaches, and which heads it resembles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/display/display.hpp"
#include "core/compute/threads.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The keys that queries attend to: the position before, the one after, the first one, other positions with the same
/// symbol or token, what followed the query's symbol earlier (in a task), themselves, one and the same key, or all
/// visible keys equally.
enum class HeadPattern : std::uint8_t { previous, next, first, same_symbol, induction, itself, one_key, even };
inline constexpr std::array<std::string_view, 8> head_patterns{"previous",  "next",   "first",   "same symbol",
                                                               "induction", "itself", "one key", "even"};

struct FoundPattern {
  HeadPattern pattern = HeadPattern::previous;
  double share = 0;
  Index key = 0;  ///< of one_key

  /// Whether it is most of what the head does.
  bool is_clear() const { return share >= 0.5; }
  friend bool operator==(const FoundPattern&, const FoundPattern&) = default;
};

/// The prefix match of a head: the mean over the asked positions i, of all sequences, of Σ weights on keys j ≤ i whose
/// symbol before, at j − 1, is that at i. None where positions don't hold one symbol each, or where nothing is asked.
/// `weights` is (batch, head, query, key).
std::optional<double> prefix_match(const Sequences& sequences, const Tensor& weights, Index head);

/// The pattern of a head's attention over all batch items, if it has one.
///
/// A pattern's share is the mean over the queries of their attention to the pattern's keys: Σ p over these keys, or for
/// even attention Σ min(p, 1/n) over the n visible keys, with p as in HeadMeasures. With a task only queries that are
/// asked something count, since the others learn nothing. The share of `induction` is prefix_match. Queries that see
/// fewer than two keys, or none of the pattern's keys, do not count either; if these are more than two in three, the
/// pattern is not found. Of all patterns but the last, the one with the largest share is found if its share is at least
/// 0.5. Otherwise even attention is found from 0.9 on, and otherwise the former from 0.3 on.
///
/// `tensor` is `weights` or `dropped_weights` and must be in the trace. None after a stop.
std::optional<FoundPattern> found_pattern(const Trace& trace, TensorId tensor, Index head,
                                          const std::stop_token& stop = {});

/// "previous 97 %"; for one key its label: "it 41 %"
std::string short_words(const FoundPattern& found, const Setup& setup);
/// "97 % of the attention goes to the position before the query"
std::string sentence_of(const FoundPattern& found, const Setup& setup);

/// Means over the queries that see at least one key. A row of `weights` or `dropped_weights` is divided by its sum and
/// read as a distribution p over keys; rows that sum to zero are left out.
struct HeadMeasures {
  double entropy = 0;   ///< −Σ p log2 p, in bits
  double distance = 0;  ///< Σ p |i − j|, in positions
  double diagonal = 0;  ///< p at i = j: attention to itself
  double peak = 0;      ///< the largest p

  friend bool operator==(const HeadMeasures&, const HeadMeasures&) = default;
};

struct HeadStatistics {
  std::vector<HeadMeasures> heads;                    ///< one per head
  std::vector<std::optional<FoundPattern>> patterns;  ///< one per head
  HeadMeasures even;                                  ///< the measures of attention spread evenly over the visible keys
};

/// `tensor` is `weights` or `dropped_weights` and must be in the trace. The result has no heads after a stop.
HeadStatistics head_statistics(Threads& threads, const Trace& trace, Index batch, TensorId tensor = TensorId::weights,
                               const std::stop_token& stop = {});

/// Symmetric, row-major, heads × heads: the mean over matching rows of the Jensen–Shannon distance sqrt(H((p + q) / 2)
/// − (H(p) + H(q)) / 2) with logarithms to base 2: 0 for equal rows, 1 for rows without a key in common. Empty after a
/// stop.
std::vector<double> head_distances(Threads& threads, const Trace& trace, Index batch,
                                   TensorId tensor = TensorId::weights, const std::stop_token& stop = {});

/// The visible heads in the order in which to show them: by index, or from the smallest to the largest measure.
std::vector<Index> ordered_heads(const HeadStatistics& statistics, const HeadsOptions& options);

}  // namespace headlight
