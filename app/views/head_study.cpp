#include "app/views/head_study.hpp"

namespace headlight {

double HeadStudy::similarity(Index a, Index b) const {
  return 1 - distances[static_cast<std::size_t>(a) * statistics.heads.size() + static_cast<std::size_t>(b)];
}

const HeadStudy& HeadStudies::of(const Trace& trace, Index batch, TensorId tensor) {
  if (version_ != trace.version || batch_ != batch || tensor_ != tensor) {
    study_ = {head_statistics(trace, batch, tensor), head_distances(trace, batch, tensor)};
    version_ = trace.version;
    batch_ = batch;
    tensor_ = tensor;
  }
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
