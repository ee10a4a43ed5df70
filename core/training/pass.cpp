#include "core/training/pass.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>
#include <utility>

#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {

Pass::Pass(const Setup& setup, std::span<const TensorId> wanted) {
  trace_.setup = setup;
  std::array<bool, tensor_count> needed{};
  for (const TensorId id : wanted) needed[index_of(id)] = true;
  for (const Stage& stage : all_stages() | std::views::reverse) {
    if (!needed[static_cast<std::size_t>(stage.result)] || is_drawn(stage.result, setup)) continue;
    for (const Operand& operand : operands_of(stage, setup)) needed[index_of(operand.tensor)] = true;
    (stage.kind == StageKind::given && !stage.operation->asks ? once_ : stages_).push_back(&stage);
  }
  std::ranges::reverse(once_);
  std::ranges::reverse(stages_);
}

void Pass::run(std::shared_ptr<const Sequences> sequences, Workspace& workspace) {
  trace_.setup.sizes.batch = sequences->count;
  trace_.sequences = std::move(sequences);
  for (const Stage* stage : std::exchange(once_, {})) trace_[stage->result] = stage->compute(trace_, workspace);
  for (const Stage* stage : stages_) trace_[stage->result] = stage->compute(trace_, workspace);
}

double mean_loss(const Trace& trace) {
  const Tensor& loss = trace[TensorId::loss];  // (batch, query), contiguous; 0 where nothing is asked
  double sum = 0;
  with_element_type(loss.precision(), [&](auto zero) {
    const auto* first = loss.data<decltype(zero)>();
    sum = std::accumulate(first, first + loss.elements(), 0.0);
  });
  return sum / static_cast<double>(trace.sequences->asked);
}

Verdict verdict_of(const Trace& trace) {
  const Sequences& sequences = *trace.sequences;
  const Tensor& logits = trace[TensorId::logits];
  const Index symbols = trace.setup.task.symbols;
  Verdict verdict{.loss = mean_loss(trace), .right = 0, .asked = 0};
  for (Index item = 0; item < sequences.count; ++item) {
    for (Index position = 0; position < sequences.length; ++position) {
      if (!sequences.asks(item, position)) continue;
      for (Index answer = 0; answer < sequences.answers; ++answer, ++verdict.asked) {
        const auto logit = [&](Index symbol) { return logits.at({item, position, answer * symbols + symbol}); };
        Index best = 0;
        for (Index symbol = 1; symbol < symbols; ++symbol)
          if (logit(symbol) > logit(best)) best = symbol;
        verdict.right += best == sequences.labels_at(item, position)[answer];
      }
    }
  }
  return verdict;
}

}  // namespace headlight
