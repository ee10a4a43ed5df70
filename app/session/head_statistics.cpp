#include "app/session/head_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/mask.hpp"

namespace headlight {
namespace {

double entropy_term(double p) { return p > 0 ? -p * std::log2(p) : 0; }

/// The weights of one head, row after row.
Tensor head_of(const Trace& trace, TensorId tensor, Index batch, Index head) {
  return trace[tensor].selected(0, batch).selected(0, head).contiguous();
}

/// One row of weights as a distribution; false where it sums to nothing.
bool read_row(const Tensor& head, Index query, std::vector<double>& row) {
  with_element_type(head.precision(), [&](auto zero) {
    const auto* first = head.data<decltype(zero)>() + query * head.shape()[1];
    std::copy(first, first + head.shape()[1], row.begin());
  });
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) return false;
  for (double& p : row) p /= sum;
  return true;
}

/// Sums of measures, and over how many rows.
struct Sums {
  HeadMeasures total;
  Index rows = 0;

  void add(const std::vector<double>& row, Index query) {
    double peak = 0;
    for (std::size_t key = 0; key < row.size(); ++key) {
      const double p = row[key];
      const auto distance = std::abs(query - static_cast<Index>(key));
      total.entropy += entropy_term(p);
      total.distance += p * static_cast<double>(distance);
      if (distance == 0) total.diagonal += p;
      peak = std::max(peak, p);
    }
    total.peak += peak;
    ++rows;
  }

  HeadMeasures mean() const {
    if (rows == 0) return {};
    const auto count = static_cast<double>(rows);
    return {total.entropy / count, total.distance / count, total.diagonal / count, total.peak / count};
  }
};

HeadMeasures even_attention(const Trace& trace, Index batch) {
  const Mask mask(trace.setup);
  const auto keys = static_cast<std::size_t>(trace.setup.key_length());
  std::vector<unsigned char> visible(keys, 1);
  std::vector<double> row(keys, 0);
  Sums sums;
  for (Index query = 0; query < trace.setup.sizes.query_length; ++query) {
    mask.visible_row(batch, query, visible);
    const auto count = std::accumulate(visible.begin(), visible.end(), std::size_t{0});
    if (count == 0) continue;
    for (std::size_t key = 0; key < keys; ++key) row[key] = visible[key] ? 1 / static_cast<double>(count) : 0;
    sums.add(row, query);
  }
  return sums.mean();
}

/// H((p + q) / 2) − (H(p) + H(q)) / 2, at least 0 in spite of rounding.
double divergence(const std::vector<double>& p, const std::vector<double>& q, double entropy_p, double entropy_q) {
  double entropy_between = 0;
  for (std::size_t key = 0; key < p.size(); ++key) entropy_between += entropy_term((p[key] + q[key]) / 2);
  return std::clamp(entropy_between - (entropy_p + entropy_q) / 2, 0.0, 1.0);
}

double entropy(const std::vector<double>& row) {
  return std::accumulate(row.begin(), row.end(), 0.0, [](double sum, double p) { return sum + entropy_term(p); });
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

HeadStatistics head_statistics(const Trace& trace, Index batch, TensorId tensor, const std::stop_token& stop) {
  std::vector<double> row(static_cast<std::size_t>(trace.setup.key_length()));
  HeadStatistics statistics;
  for (Index head = 0; head < trace.setup.sizes.heads; ++head) {
    const Tensor weights = head_of(trace, tensor, batch, head);
    Sums sums;
    for (Index query = 0; query < trace.setup.sizes.query_length; ++query) {
      if (stop.stop_requested()) return {};
      if (read_row(weights, query, row)) sums.add(row, query);
    }
    statistics.heads.push_back(sums.mean());
  }
  statistics.even = even_attention(trace, batch);
  return statistics;
}

std::vector<double> head_distances(const Trace& trace, Index batch, TensorId tensor, const std::stop_token& stop) {
  const auto heads = static_cast<std::size_t>(trace.setup.sizes.heads);
  std::vector<double> sums(heads * heads, 0);
  std::vector<Index> counts(heads * heads, 0);
  std::vector<std::vector<double>> rows(heads, std::vector<double>(static_cast<std::size_t>(trace.setup.key_length())));
  std::vector<Tensor> weights;
  for (std::size_t head = 0; head < heads; ++head)
    weights.push_back(head_of(trace, tensor, batch, static_cast<Index>(head)));
  std::vector<unsigned char> usable(heads);
  std::vector<double> entropies(heads);
  for (Index query = 0; query < trace.setup.sizes.query_length; ++query) {
    if (stop.stop_requested()) return {};
    for (std::size_t head = 0; head < heads; ++head) {
      usable[head] = read_row(weights[head], query, rows[head]);
      entropies[head] = usable[head] ? entropy(rows[head]) : 0;
    }
    for (std::size_t a = 0; a < heads; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (!usable[a] || !usable[b]) continue;
        sums[a * heads + b] += std::sqrt(divergence(rows[a], rows[b], entropies[a], entropies[b]));
        ++counts[a * heads + b];
      }
    }
  }
  for (std::size_t a = 0; a < heads; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double& mean = sums[a * heads + b];
      if (counts[a * heads + b] > 0) mean /= static_cast<double>(counts[a * heads + b]);
      sums[b * heads + a] = mean;
    }
  }
  return sums;
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
