#include "app/views/heads/head_study.hpp"

#include <limits>

namespace headlight {
namespace {

HeadStatistics unknown_statistics(Index heads) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  HeadStatistics statistics;
  statistics.heads.assign(static_cast<std::size_t>(heads), {unknown, unknown, unknown, unknown});
  statistics.patterns.resize(statistics.heads.size());
  return statistics;
}

}  // namespace

double HeadSimilarities::between(Index a, Index b) const {
  return 1 - distances[static_cast<std::size_t>(a * heads + b)];
}

const HeadStatistics& HeadStudies::statistics(Session& session, Index batch, TensorId tensor) {
  const Shape& weights = session.trace()[tensor].shape();
  const Index cells = weights[1] * weights[2] * weights[3];
  const HeadStatistics* const found =
      statistics_.of(session, {session.trace().version, batch, tensor}, cells,
                     [=, trace = session.state().trace](Threads& threads, const std::stop_token& stop) {
                       return head_statistics(threads, *trace, batch, tensor, stop);
                     });
  if (found) return *found;
  return to_come_ = unknown_statistics(weights[1]);
}

const HeadSimilarities* HeadStudies::similarities(Session& session, Index batch, TensorId tensor) {
  const Shape& weights = session.trace()[tensor].shape();
  const Index heads = weights[1];
  const Index pairs_of_cells = heads * (heads + 1) / 2 * weights[2] * weights[3];
  return similarities_.of(session, {session.trace().version, batch, tensor}, pairs_of_cells,
                          [=, trace = session.state().trace](Threads& threads, const std::stop_token& stop) {
                            return HeadSimilarities{heads, head_distances(threads, *trace, batch, tensor, stop)};
                          });
}

TensorId tensor_with_heads(const Session& session) { return shown_in(View::heads, session.selection().tensor); }

TensorId attention_tensor(const Session& session) { return shown_in(View::tokens, session.selection().tensor); }

Selection attention_selection(const Session& session) {
  const Selection here = at_cell(session.selection(), session.cell(), session.setup());
  return on_tensor(here, attention_tensor(session), session.setup());
}

}  // namespace headlight
