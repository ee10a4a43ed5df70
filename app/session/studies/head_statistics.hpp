// What each head does, in a few numbers: how spread out its attention is, how far it reaches, whom it resembles.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/session/studies/head_patterns.hpp"
#include "core/compute/threads.hpp"
#include "core/model/trace.hpp"

namespace headlight {

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

/// `tensor` is `weights` or `dropped_weights` and must be in the trace. Without heads where it was stopped.
HeadStatistics head_statistics(Threads& threads, const Trace& trace, Index batch, TensorId tensor = TensorId::weights,
                               const std::stop_token& stop = {});

/// Symmetric, row-major, heads × heads: the mean over matching rows of the Jensen–Shannon distance
/// sqrt(H((p + q) / 2) − (H(p) + H(q)) / 2) with logarithms to base 2: 0 for equal rows, 1 for rows without a key in
/// common. Empty where it was stopped.
std::vector<double> head_distances(Threads& threads, const Trace& trace, Index batch,
                                   TensorId tensor = TensorId::weights, const std::stop_token& stop = {});

/// The visible heads in the order in which to show them: by index, or from the smallest to the largest measure.
std::vector<Index> ordered_heads(const HeadStatistics& statistics, const HeadsOptions& options);

}  // namespace headlight
