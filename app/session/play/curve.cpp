#include "app/session/play/curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/session/studies/head_statistics.hpp"
#include "core/engine/engine.hpp"
#include "core/setup/validity.hpp"

namespace headlight {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr int most_points = 41;

double largest_weight(const Trace& trace, const Selection& selection) {
  const Tensor weights = trace[TensorId::weights].selected(1, selection.head).selected(0, selection.batch);
  double largest = 0;
  for (Index query = 0; query < weights.shape()[0]; ++query)
    for (Index key = 0; key < weights.shape()[1]; ++key) largest = std::max(largest, weights.at({query, key}));
  return largest;
}

}  // namespace

std::string words_of(Measure measure, const Selection& selection, const Setup& setup) {
  switch (measure) {
    case Measure::cell: return to_string(cell_of(selection, setup));
    case Measure::entropy: return fmt::format("entropy of head {} (bits)", selection.head);
    case Measure::largest: break;
  }
  return fmt::format("largest weight of head {}", selection.head);
}

double measured(Threads& threads, const Trace& trace, Measure measure, const Selection& selection) {
  const Sizes& sizes = trace.setup.sizes;
  if (measure == Measure::cell) {
    if (fitting(selection, trace.setup) != selection) return nothing;
    return trace.value(cell_of(selection, trace.setup));
  }
  if (selection.head >= sizes.heads || selection.batch >= sizes.batch) return nothing;
  if (measure == Measure::largest) return largest_weight(trace, selection);
  return head_statistics(threads, trace, selection.batch).heads[static_cast<std::size_t>(selection.head)].entropy;
}

std::vector<double> points_of(const PlayNumber& number) {
  const double span = number.high - number.low;
  const int count = number.whole ? std::min(most_points, static_cast<int>(span) + 1) : most_points;
  std::vector<double> points;
  for (int i = 0; i < count; ++i) points.push_back(number.at(count > 1 ? i / static_cast<double>(count - 1) : 0));
  return points;
}

std::vector<Curve> curves_over(const std::shared_ptr<Threads>& threads, const Setup& setup, const PlayNumber& number,
                               const std::vector<double>& points, const std::vector<TraceNumber>& values,
                               const std::stop_token& stop) {
  Engine engine(default_memory_limit, threads);
  std::vector<Curve> curves(values.size());
  for (const double point : points) {
    if (stop.stop_requested()) break;
    const std::optional<Setup> next = with_play_number(setup, number, point);
    const bool exists = next && problems(*next).empty();
    if (exists) engine.compute(*next);
    for (std::size_t i = 0; i < values.size(); ++i) {
      curves[i].at.push_back(point);
      curves[i].values.push_back(exists ? values[i](engine.model()) : nothing);
    }
  }
  return curves;
}

}  // namespace headlight
