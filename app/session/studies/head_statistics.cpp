#include "app/session/studies/head_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "app/session/studies/key_shares.hpp"
#include "core/compute/threads.hpp"
#include "core/model/mask.hpp"

namespace headlight {
namespace {

constexpr double least_share = 0.3;
constexpr double least_even_share = 0.9;

/// Numbers the contents of a batch item's positions, equal for equal contents. Empty if the contents are unknown.
std::vector<std::int64_t> symbols_of(const Trace& trace, Index item) {
  std::vector<std::int64_t> symbols;
  if (trace.sequences != nullptr) {
    const Sequences& sequences = *trace.sequences;
    for (Index position = 0; position < sequences.length; ++position)
      symbols.push_back(
          sequences.ones[static_cast<std::size_t>((item * sequences.length + position) * sequences.held)]);
  } else if (!trace.setup.is_cross()) {
    std::unordered_map<std::string_view, std::int64_t> numbers;
    for (const std::string& token : trace.setup.tokens)
      symbols.push_back(numbers.try_emplace(token, std::ssize(numbers)).first->second);
  }
  return symbols;
}

/// The shares of all patterns, summed over the queries that count.
class Sums {
 public:
  explicit Sums(const Trace& trace) : trace_(trace), mask_(trace.setup), visible_(keys(), 1), of_keys_(keys()) {}

  void add_item(const Tensor& weights, Index item) {
    symbols_ = symbols_of(trace_, item);
    KeyShares row = empty_shares(trace_.setup.key_length());
    for (Index query = 0; query < weights.shape()[0]; ++query) {
      if (trace_.sequences != nullptr && !trace_.sequences->asks(item, query)) continue;
      if (!read_shares(weights, query, row)) continue;
      mask_.visible_row(item, query, visible_);
      if (std::ranges::count(visible_, 1) >= 2) add_query(row, static_cast<std::size_t>(trace_.setup.past() + query));
    }
  }

  /// `prefix_match`: of the head.
  std::optional<FoundPattern> found(double prefix_match) const {
    FoundPattern best;
    for (const HeadPattern each :
         {HeadPattern::previous, HeadPattern::next, HeadPattern::first, HeadPattern::same_symbol, HeadPattern::itself})
      if (share(each) > best.share) best = {each, share(each), 0};
    if (prefix_match > best.share) best = {HeadPattern::induction, prefix_match, 0};
    for (std::size_t key = 1; key < of_keys_.size(); ++key)
      if (const double share = of_keys_[key] / static_cast<double>(std::max<Index>(queries_, 1)); share > best.share)
        best = {HeadPattern::one_key, share, static_cast<Index>(key)};
    if (best.is_clear()) return best;
    if (share(HeadPattern::even) >= least_even_share)
      return FoundPattern{HeadPattern::even, share(HeadPattern::even), 0};
    if (best.share >= least_share) return best;
    return std::nullopt;
  }

 private:
  struct Sum {
    double shares = 0;
    Index queries = 0;
  };

  std::size_t keys() const { return static_cast<std::size_t>(trace_.setup.key_length()); }

  /// `query` is the query's position.
  void add_query(const KeyShares& row, std::size_t query) {
    ++queries_;
    if (query > 0) add_keys(HeadPattern::previous, row, [&](std::size_t key) { return key + 1 == query; });
    add_keys(HeadPattern::next, row, [&](std::size_t key) { return key == query + 1; });
    for (std::size_t key = 0; key < keys(); ++key) of_keys_[key] += row[key];
    add_keys(HeadPattern::first, row, [](std::size_t key) { return key == 0; });
    add_keys(HeadPattern::itself, row, [&](std::size_t key) { return key == query; });
    if (!symbols_.empty()) {
      add_keys(HeadPattern::same_symbol, row,
               [&](std::size_t key) { return key != query && symbols_[key] == symbols_[query]; });
    }
    const double even = 1 / static_cast<double>(std::ranges::count(visible_, 1));
    double shared = 0;
    for (std::size_t key = 0; key < keys(); ++key) shared += visible_[key] != 0 ? std::min(row[key], even) : 0;
    add(HeadPattern::even, shared);
  }

  template <class Names>
  void add_keys(HeadPattern pattern, const KeyShares& row, Names&& names) {
    double given = 0;
    bool any = false;
    for (std::size_t key = 0; key < keys(); ++key) {
      if (visible_[key] == 0 || !names(key)) continue;
      given += row[key];
      any = true;
    }
    if (any) add(pattern, given);
  }

  void add(HeadPattern pattern, double share) {
    Sum& sum = sums_[static_cast<std::size_t>(pattern)];
    sum.shares += share;
    ++sum.queries;
  }

  double share(HeadPattern pattern) const {
    const Sum& sum = sums_[static_cast<std::size_t>(pattern)];
    return 3 * sum.queries >= queries_ && sum.queries > 0 ? sum.shares / static_cast<double>(sum.queries) : 0;
  }

  const Trace& trace_;
  Mask mask_;
  std::vector<unsigned char> visible_;
  std::vector<std::int64_t> symbols_;
  std::array<Sum, head_patterns.size()> sums_{};
  std::vector<double> of_keys_;  ///< the shares of each key, summed over the queries that count
  Index queries_ = 0;
};

}  // namespace

std::optional<double> prefix_match(const Sequences& sequences, const Tensor& weights, Index head) {
  if (sequences.held != 1 || sequences.asked == 0) return std::nullopt;
  double sum = 0;
  for (Index item = 0; item < sequences.count; ++item) {
    const std::int64_t* const symbols = sequences.ones.data() + item * sequences.length;
    for (Index query = 0; query < sequences.queries(); ++query) {
      if (!sequences.asks(item, query)) continue;
      const Index position = sequences.past + query;
      for (Index key = 1; key <= position; ++key)
        if (symbols[key - 1] == symbols[position]) sum += weights.at({item, head, query, key});
    }
  }
  return sum / static_cast<double>(sequences.asked);
}

std::optional<FoundPattern> found_pattern(const Trace& trace, TensorId tensor, Index head,
                                          const std::stop_token& stop) {
  Sums sums(trace);
  for (Index item = 0; item < trace.setup.sizes.batch; ++item) {
    if (stop.stop_requested()) return std::nullopt;
    sums.add_item(trace[tensor].selected(0, item).selected(0, head).contiguous(), item);
  }
  const auto prefix = trace.sequences ? prefix_match(*trace.sequences, trace[tensor], head) : std::nullopt;
  return sums.found(prefix.value_or(0));
}

namespace {

std::string label_of(Index key, const Setup& setup) {
  const bool named = !(setup.is_cross() ? setup.key_tokens : setup.tokens).empty();
  return named ? setup.key_label(key) : fmt::format("key {}", key);
}

}  // namespace

std::string short_words(const FoundPattern& found, const Setup& setup) {
  const bool one = found.pattern == HeadPattern::one_key;
  return fmt::format("{} {:.0f} %",
                     one ? label_of(found.key, setup) : head_patterns[static_cast<std::size_t>(found.pattern)],
                     100 * found.share);
}

std::string sentence_of(const FoundPattern& found, const Setup& setup) {
  const auto goes_to = [&](std::string_view where) {
    return fmt::format("{:.0f} % of the attention goes to {}", 100 * found.share, where);
  };
  switch (found.pattern) {
    case HeadPattern::previous: return goes_to("the position before the query");
    case HeadPattern::next: return goes_to("the position after the query");
    case HeadPattern::first: return goes_to("the first position");
    case HeadPattern::same_symbol: return goes_to("other positions with the same symbol or token");
    case HeadPattern::induction: return goes_to("positions that follow the query's own symbol");
    case HeadPattern::itself: return goes_to("the query's own position");
    case HeadPattern::one_key: return goes_to(label_of(found.key, setup));
    case HeadPattern::even: break;
  }
  return fmt::format("{:.0f} % of the attention is spread evenly over the visible keys", 100 * found.share);
}

namespace {

/// How many queries of all heads make a task: enough to be worth a thread, few enough to stop soon.
constexpr Index queries_in_a_piece = 16;

/// The weights of one head, row after row.
Tensor head_of(const Trace& trace, TensorId tensor, Index batch, Index head) {
  return trace[tensor].selected(0, batch).selected(0, head).contiguous();
}

/// Sums of measures, and the number of rows that they were summed over.
struct MeasureSums {
  HeadMeasures total;
  Index rows = 0;

  void add(const KeyShares& row, Index query) {
    total.entropy += entropy(row);
    total.distance += mean_distance(row, query);
    if (query < static_cast<Index>(row.size())) total.diagonal += row[static_cast<std::size_t>(query)];
    total.peak += peak(row);
    ++rows;
  }

  HeadMeasures mean() const {
    if (rows == 0) return {};
    const auto count = static_cast<double>(rows);
    return {total.entropy / count, total.distance / count, total.diagonal / count, total.peak / count};
  }
};

/// `past` is the position of the first query.
HeadMeasures measures_of(const Tensor& weights, Index past, const std::stop_token& stop) {
  KeyShares row = empty_shares(weights.shape()[1]);
  MeasureSums sums;
  for (Index query = 0; query < weights.shape()[0] && !stop.stop_requested(); ++query)
    if (read_shares(weights, query, row)) sums.add(row, past + query);
  return sums.mean();
}

HeadMeasures even_attention(const Trace& trace, Index batch) {
  const Mask mask(trace.setup);
  const auto keys = static_cast<std::size_t>(trace.setup.key_length());
  std::vector<unsigned char> visible(keys, 1);
  KeyShares row = empty_shares(trace.setup.key_length());
  MeasureSums sums;
  for (Index query = 0; query < trace.setup.sizes.query_length; ++query) {
    mask.visible_row(batch, query, visible);
    const auto count = std::accumulate(visible.begin(), visible.end(), std::size_t{0});
    if (count == 0) continue;
    for (std::size_t key = 0; key < keys; ++key) row[key] = visible[key] ? 1 / static_cast<double>(count) : 0;
    sums.add(row, trace.setup.past() + query);
  }
  return sums.mean();
}

/// Sums of distances over some queries for each pair of heads (row-major below the diagonal), and the number of
/// queries.
struct PairSums {
  std::vector<double> distance;
  std::vector<Index> rows;

  explicit PairSums(std::size_t heads = 0) : distance(heads * heads, 0), rows(heads * heads, 0) {}
  void add(const PairSums& more) {
    for (std::size_t i = 0; i < distance.size(); ++i) {
      distance[i] += more.distance[i];
      rows[i] += more.rows[i];
    }
  }
};

/// sqrt(H((p + q) / 2) − (H(p) + H(q)) / 2); never negative, although rounding could make the difference so.
double distance_between(const KeyShares& p, const KeyShares& q, double entropy_p, double entropy_q) {
  return std::sqrt(std::clamp(entropy_between(p, q) - (entropy_p + entropy_q) / 2, 0.0, 1.0));
}

/// Compares the rows of all heads with each other, for the queries in [begin, end).
PairSums distances_over(const std::vector<Tensor>& weights, Index begin, Index end) {
  const std::size_t heads = weights.size();
  PairSums sums(heads);
  std::vector<KeyShares> rows(heads, empty_shares(weights.front().shape()[1]));
  std::vector<double> entropies(heads);
  std::vector<unsigned char> usable(heads);
  for (Index query = begin; query < end; ++query) {
    for (std::size_t head = 0; head < heads; ++head) {
      usable[head] = read_shares(weights[head], query, rows[head]);
      if (usable[head]) entropies[head] = entropy(rows[head]);
    }
    for (std::size_t a = 0; a < heads; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (!usable[a] || !usable[b]) continue;
        sums.distance[a * heads + b] += distance_between(rows[a], rows[b], entropies[a], entropies[b]);
        ++sums.rows[a * heads + b];
      }
    }
  }
  return sums;
}

double measure(const HeadMeasures& measures, HeadOrder order) {
  switch (order) {
    case HeadOrder::entropy: return measures.entropy;
    case HeadOrder::distance: return measures.distance;
    case HeadOrder::diagonal: return measures.diagonal;
    case HeadOrder::peak: return measures.peak;
    case HeadOrder::index: break;
  }
  return 0;
}

}  // namespace

HeadStatistics head_statistics(Threads& threads, const Trace& trace, Index batch, TensorId tensor,
                               const std::stop_token& stop) {
  HeadStatistics statistics;
  statistics.heads.resize(static_cast<std::size_t>(trace.setup.sizes.heads));
  statistics.patterns.resize(statistics.heads.size());
  threads.run_over(trace[tensor].elements(), trace.setup.sizes.heads, [&](Index head) {
    const auto index = static_cast<std::size_t>(head);
    statistics.heads[index] = measures_of(head_of(trace, tensor, batch, head), trace.setup.past(), stop);
    statistics.patterns[index] = found_pattern(trace, tensor, head, stop);
  });
  if (stop.stop_requested()) return {};
  statistics.even = even_attention(trace, batch);
  return statistics;
}

std::vector<double> head_distances(Threads& threads, const Trace& trace, Index batch, TensorId tensor,
                                   const std::stop_token& stop) {
  const auto heads = static_cast<std::size_t>(trace.setup.sizes.heads);
  std::vector<Tensor> weights;
  for (std::size_t head = 0; head < heads; ++head)
    weights.push_back(head_of(trace, tensor, batch, static_cast<Index>(head)));
  const Index queries = trace.setup.sizes.query_length;
  const Index pieces = (queries + queries_in_a_piece - 1) / queries_in_a_piece;
  std::vector<PairSums> parts(static_cast<std::size_t>(pieces));
  threads.run_over(trace[tensor].elements(), pieces, [&](Index piece) {
    if (stop.stop_requested()) return;
    const Index begin = piece * queries_in_a_piece;
    parts[static_cast<std::size_t>(piece)] =
        distances_over(weights, begin, std::min(begin + queries_in_a_piece, queries));
  });
  if (stop.stop_requested()) return {};
  PairSums sums(heads);
  for (const PairSums& part : parts) sums.add(part);
  std::vector<double> distances(heads * heads, 0);
  for (std::size_t a = 0; a < heads; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Index rows = sums.rows[a * heads + b];
      const double mean = rows > 0 ? sums.distance[a * heads + b] / static_cast<double>(rows) : 0;
      distances[a * heads + b] = distances[b * heads + a] = mean;
    }
  }
  return distances;
}

std::vector<Index> ordered_heads(const HeadStatistics& statistics, const HeadsOptions& options) {
  std::vector<Index> order;
  for (Index head = 0; head < static_cast<Index>(statistics.heads.size()); ++head) {
    if (!options.hides(head)) order.push_back(head);
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return measure(statistics.heads[static_cast<std::size_t>(a)], options.order) <
           measure(statistics.heads[static_cast<std::size_t>(b)], options.order);
  });
  return order;
}

}  // namespace headlight
