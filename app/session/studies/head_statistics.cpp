#include "app/session/studies/head_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/session/studies/key_shares.hpp"
#include "core/compute/threads.hpp"
#include "core/model/mask.hpp"

namespace headlight {
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

HeadMeasures measures_of(const Tensor& weights, const std::stop_token& stop) {
  KeyShares row = empty_shares(weights.shape()[1]);
  MeasureSums sums;
  for (Index query = 0; query < weights.shape()[0] && !stop.stop_requested(); ++query)
    if (read_shares(weights, query, row)) sums.add(row, query);
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
    sums.add(row, query);
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
    const auto place = static_cast<std::size_t>(head);
    statistics.heads[place] = measures_of(head_of(trace, tensor, batch, head), stop);
    statistics.patterns[place] = found_pattern(trace, tensor, head, stop);
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
