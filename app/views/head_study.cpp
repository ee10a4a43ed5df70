#include "app/views/head_study.hpp"

#include <chrono>
#include <limits>

namespace headlight {
namespace {

/// Pairs of weights to compare, of which a frame manages a million.
bool takes_long(const Trace& trace) {
  const Shape& weights = trace[TensorId::weights].shape();
  return (weights[1] + 1) * weights[1] / 2 * weights[2] * weights[3] > 1'000'000;
}

HeadStudy study_of(const Trace& trace, Index batch, TensorId tensor, const std::stop_token& stop) {
  return {true, head_statistics(trace, batch, tensor, stop), head_distances(trace, batch, tensor, stop)};
}

HeadStudy study_to_come(Index heads) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  HeadStudy study;
  study.ready = false;
  study.statistics.heads.assign(static_cast<std::size_t>(heads), {unknown, unknown, unknown, unknown});
  return study;
}

}  // namespace

double HeadStudy::similarity(Index a, Index b) const {
  return 1 - distances[static_cast<std::size_t>(a) * statistics.heads.size() + static_cast<std::size_t>(b)];
}

const HeadStudy& HeadStudies::of(const Session& session, Index batch, TensorId tensor) {
  const Trace& trace = session.trace();
  if (version_ != trace.version || batch_ != batch || tensor_ != tensor) {
    version_ = trace.version;
    batch_ = batch;
    tensor_ = tensor;
    stop_.request_stop();
    stop_ = std::stop_source();
    if (session.in_background() && takes_long(trace)) {
      study_ = study_to_come(trace.setup.sizes.heads);
      coming_ = std::async(std::launch::async, [=, shared = session.state().trace, stop = stop_.get_token()] {
        return study_of(*shared, batch, tensor, stop);
      });
    } else {
      study_ = study_of(trace, batch, tensor, {});
    }
  }
  if (!study_.ready && coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) study_ = coming_.get();
  return study_;
}

TensorId tensor_with_heads(const Session& session) {
  const TensorId selected = session.selection().tensor;
  return info(selected).has_heads() ? selected : TensorId::weights;
}

TensorId attention_tensor(const Session& session) {
  return session.selection().tensor == TensorId::dropped_weights ? TensorId::dropped_weights : TensorId::weights;
}

bool is_attention(TensorId tensor) { return tensor == TensorId::weights || tensor == TensorId::dropped_weights; }

Selection attention_place(const Session& session) {
  const Selection here = at_cell(session.selection(), session.cell(), session.setup());
  return on_tensor(here, attention_tensor(session), session.setup());
}

}  // namespace headlight
