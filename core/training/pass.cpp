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
  std::vector<TensorId> all(wanted.begin(), wanted.end());
  // What goes through the seams between layers.
  const bool goes_back = std::ranges::any_of(wanted, [](TensorId id) { return is_gradient(id); });
  if (setup.sizes.layers > 1) all.push_back(what_leaves(setup));
  if (setup.sizes.layers > 1 && goes_back) all.push_back(gradient_of(TensorId::X));
  for (Index layer = 0; layer < setup.sizes.layers; ++layer) {
    layers_.emplace_back(seen_at(setup, layer));
    plans_.push_back(plan_of(layers_.back().setup, all));
  }
}

Pass::Plan Pass::plan_of(const Setup& setup, std::span<const TensorId> wanted) {
  Plan plan;
  std::array<bool, tensor_count> needed{};
  for (const TensorId id : wanted) needed[index_of(id)] = exists(id, setup);
  for (const Stage& stage : all_stages() | std::views::reverse) {
    if (!needed[static_cast<std::size_t>(stage.result)] || is_drawn(stage.result, setup)) continue;
    for (const Operand& operand : operands_of(stage, setup)) needed[index_of(operand.tensor)] = true;
    const bool is_constant = stage.kind == StageKind::given && !stage.operation->asks;
    (is_constant ? plan.once : is_gradient(stage.result) ? plan.backward : plan.forward).push_back(&stage);
  }
  for (auto* stages : {&plan.once, &plan.forward, &plan.backward}) std::ranges::reverse(*stages);
  return plan;
}

void Pass::run(std::shared_ptr<const Sequences> sequences, Workspace& workspace) {
  const auto run = [&](const std::vector<const Stage*>& stages, Trace& trace) {
    for (const Stage* stage : stages) trace[stage->result] = stage->compute(trace, workspace);
  };
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    Trace& trace = layers_[layer];
    trace.setup.sizes.batch = sequences->count;
    trace.sequences = sequences;
    if (layer > 0) trace.from_below = what_leaves(layers_[layer - 1]);
    run(std::exchange(plans_[layer].once, {}), trace);
    run(plans_[layer].forward, trace);
  }
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    if (layer + 1 < layers_.size()) layers_[layer].from_above = layers_[layer + 1][gradient_of(TensorId::X)];
    run(plans_[layer].backward, layers_[layer]);
  }
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
  const Index symbols = trace.setup.symbols();
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
  for (Index layer = 0; layer < single.sizes.layers; ++layer) {
    single = seen_at(std::move(single), layer);
    for (const TensorInfo& tensor : all_tensors())
      if (exists(tensor.id, single) && tensor.has(Axis::batch)) numbers += shape(tensor.id, single).elements();
  }
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
    : setup_(setup), learned_(learned_in_model(setup)), wanted_{TensorId::loss}, sequences_(sequences_in_part(setup)) {
  for (const LayerTensor& each : learned_)
    if (std::ranges::find(wanted_, gradient_of(each.tensor)) == wanted_.end())
      wanted_.push_back(gradient_of(each.tensor));
}

BatchGradients BatchWalk::run(std::span<const Parameter> parameters, const Sequences& batch, Workspace& workspace) {
  const Index parts = rounded_up(batch.count, sequences_), tasks = std::min(parts, most_tasks);
  std::vector<BatchGradients> sums(static_cast<std::size_t>(tasks));
  workspace.each(tasks, [&](Index task) {
    std::unique_ptr<Pass> pass = take();
    for (std::size_t i = 0; i < learned_.size(); ++i) learned_[i].in(pass->layers()) = parameters[i].value;
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
  BatchGradients found{.loss = mean_loss(pass.last()), .gradients = {}};
  for (const LayerTensor& each : learned_)
    found.gradients.push_back(LayerTensor{each.layer, gradient_of(each.tensor)}.in(pass.layers()).contiguous());
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
