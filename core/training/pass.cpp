#include "core/training/pass.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>
#include <utility>

#include "core/compute/matrices.hpp"
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
    for (Index position = 0; position < sequences.queries(); ++position) {
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

namespace {

/// About as many bytes of numbers are computed of a part: what fits into a processor's cache.
constexpr Index part_bytes = Index{1} << 20;
/// A small batch is cut all the same, for a second thread.
constexpr Index fewest_parts = 4;
/// Each holds gradients of its own.
constexpr Index most_tasks = 16;

Index rounded_up(Index whole, Index part) { return (whole + part - 1) / part; }

/// The bytes that are computed of each sequence, backward pass included.
Index bytes_of_sequence(const Setup& setup) {
  Setup single = setup;
  single.sizes.batch = 1;
  Index numbers = 0;
  for (const TensorInfo& tensor : all_tensors())
    if (exists(tensor.id, single) && tensor.has(Axis::batch)) numbers += shape(tensor.id, single).elements();
  return numbers * static_cast<Index>(bytes_per_element(setup.attention.precision));
}

Index sequences_in_part(const Setup& setup) {
  const Index batch = setup.sizes.batch;
  const Index parts = std::max(fewest_parts, rounded_up(batch * bytes_of_sequence(setup), part_bytes));
  return rounded_up(batch, std::min(parts, batch));
}

void add(const BatchGradients& more, BatchGradients& sum) {
  if (sum.gradients.empty()) {
    sum = more;
    return;
  }
  sum.loss += more.loss;
  for (std::size_t i = 0; i < sum.gradients.size(); ++i) {
    Tensor& total = sum.gradients[i];
    with_element_type(total.precision(), [&](auto zero) {
      using T = decltype(zero);
      numbers(total.writable<T>(), total.elements()) += numbers(more.gradients[i].data<T>(), total.elements());
    });
  }
}

}  // namespace

BatchWalk::BatchWalk(const Setup& setup)
    : setup_(setup), learned_(learned_tensors(setup)), wanted_{TensorId::loss}, sequences_(sequences_in_part(setup)) {
  for (const TensorId id : learned_) wanted_.push_back(gradient_of(id));
}

BatchGradients BatchWalk::run(std::span<const Parameter> parameters, const Sequences& batch, Workspace& workspace) {
  const Index parts = rounded_up(batch.count, sequences_), tasks = std::min(parts, most_tasks);
  std::vector<BatchGradients> sums(static_cast<std::size_t>(tasks));
  workspace.each(tasks, [&](Index task) {
    std::unique_ptr<Pass> pass = take();
    for (std::size_t i = 0; i < learned_.size(); ++i) pass->trace()[learned_[i]] = parameters[i].value;
    for (Index part = task; part < parts; part += tasks) {
      const Index first = part * sequences_;
      const Sequences sequences = batch.part(first, std::min(sequences_, batch.count - first));
      add(walk(*pass, sequences, workspace), sums[static_cast<std::size_t>(task)]);
    }
    give_back(std::move(pass));
  });
  for (std::size_t task = 1; task < sums.size(); ++task) add(sums[task], sums.front());
  return std::move(sums.front());
}

BatchGradients BatchWalk::walk(Pass& pass, const Sequences& sequences, Workspace& workspace) const {
  Workspace own = workspace.quiet();
  pass.run(std::make_shared<const Sequences>(sequences), own);
  BatchGradients found{.loss = mean_loss(pass.trace()), .gradients = {}};
  for (const TensorId id : learned_) found.gradients.push_back(pass.trace()[gradient_of(id)].contiguous());
  return found;
}

std::unique_ptr<Pass> BatchWalk::take() {
  const std::lock_guard lock(mutex_);
  if (resting_.empty()) return std::make_unique<Pass>(setup_, wanted_);
  std::unique_ptr<Pass> pass = std::move(resting_.back());
  resting_.pop_back();
  return pass;
}

void BatchWalk::give_back(std::unique_ptr<Pass> pass) {
  const std::lock_guard lock(mutex_);
  resting_.push_back(std::move(pass));
}

}  // namespace headlight
