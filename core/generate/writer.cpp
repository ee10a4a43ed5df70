#include "core/generate/writer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/compute/workspace.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {

void require_writer(const Setup& setup) {
  if (!setup.task.is_text())
    throw InputError(
        {"", "task.name", std::string(to_string(setup.task.name)), "text: the task that asks what comes next"});
  for (const MaskKind kind : setup.mask.kinds)
    if (kind == MaskKind::padding || kind == MaskKind::custom)
      throw InputError({"", "mask.kinds", std::string(to_string(kind)), "causal and window, to write"});
  if (!setup.mask.has(MaskKind::causal))
    throw InputError({"", "mask.kinds", "no causal",
                      "causal: else a position sees the answer, and what comes later "
                      "changes what came before"});
}

namespace {

/// Whether a tensor has something for each position that was read, which later ones don't change.
bool is_kept(TensorId id) {
  const auto axes = info(id).axis_list();
  const auto has = [&](Axis axis) { return std::ranges::find(axes, axis) != axes.end(); };
  return (has(Axis::token) || has(Axis::key)) && !has(Axis::query) && id != TensorId::K_rotated;
}

int position_axis(TensorId id) {
  const auto axes = info(id).axis_list();
  return static_cast<int>(
      std::ranges::find_if(axes, [](Axis axis) { return axis == Axis::token || axis == Axis::key; }) - axes.begin());
}

/// The setup of one text of which `past` positions are there and `queries` are computed.
Setup reading(Setup setup, Index past, Index queries) {
  setup.sizes.batch = 1;
  setup.sizes.past = past;
  setup.sizes.query_length = queries;
  setup.tokens.clear();
  return setup;
}

/// The model's weights, and the rows of P for the positions from `first` on.
Trace with_weights(const Trace& model, Index past, Index queries, Index first, Index positions) {
  Trace trace(reading(model.setup, past, queries));
  for (const TensorInfo& tensor : all_tensors())
    if (tensor.kind != TensorKind::computed && tensor.kind != TensorKind::input && model.has(tensor.id))
      trace[tensor.id] = model[tensor.id];
  if (model.has(TensorId::P)) trace[TensorId::P] = model[TensorId::P].narrowed(0, first, positions);
  return trace;
}

std::shared_ptr<const Sequences> held(const std::vector<std::int64_t>& symbols, Index past) {
  return std::make_shared<const Sequences>(continued(std::ssize(symbols), past, {symbols}));
}

/// The stages that a layer's share of the logits needs: from X to what leaves it, or to the logits.
template <class Wanted>
void run_forward(Trace& trace, Workspace& workspace, Wanted&& wanted) {
  for (const Stage& stage : stages()) {
    if (!exists(stage.result, trace.setup) || is_drawn(stage.result, trace.setup) || stage.result == TensorId::P)
      continue;
    if (stage.result == TensorId::probabilities) return;
    if (wanted(stage.result)) trace[stage.result] = stage.compute(trace, workspace);
  }
}

/// `longer` is `all` and one more position of it.
Tensor and_one_more(const Tensor& all, const Tensor& one, int axis) {
  if (all.empty()) return one.contiguous();
  std::vector<Index> extents(all.shape().begin(), all.shape().end());
  const Index before = std::exchange(extents[static_cast<std::size_t>(axis)], all.shape()[axis] + 1);
  Tensor longer = Tensor::uninitialized(all.precision(), Shape(extents));
  copy_numbers(all, longer.narrowed(axis, 0, before));
  copy_numbers(one, longer.narrowed(axis, before, 1));
  return longer;
}

}  // namespace

Writer::Writer(const ModelTrace& model, Cache cache) : model_(model), cache_(cache) {
  require_writer(model.first().setup);
  last_.resize(model.layers.size());
}

Index Writer::most() const { return model_.first().setup.token_count(); }

void Writer::read(std::span<const std::int64_t> symbols) {
  if (symbols.empty()) return;
  if (length() + std::ssize(symbols) > most())
    throw std::logic_error("a text that is longer than the model's positions");
  for (const std::int64_t symbol : symbols) {
    read_.push_back(symbol);
    if (cache_ == Cache::keys_and_values) go_on();
  }
  if (cache_ == Cache::none) begin_anew();
  const Tensor& logits = last_.back()[TensorId::logits];  // (1, query, symbols)
  logits_.clear();
  for (Index each = 0; each < logits.shape()[2]; ++each) logits_.push_back(logits.at({0, logits.shape()[1] - 1, each}));
}

/// What the new position alone is needed for comes first; then its query looks at what is kept of all.
void Writer::go_on() {
  const Index at = length() - 1;
  Workspace workspace = Workspace().with(Products::in_order);
  Tensor from_below;
  for (std::size_t layer = 0; layer < last_.size(); ++layer) {
    const Trace& weights = *model_.layers[layer];
    Trace own = with_weights(weights, 0, 1, at, 1);
    own.sequences = held({read_.back()}, 0);
    own.from_below = from_below;
    run_forward(own, workspace, is_kept);
    Trace next = with_weights(weights, at, 1, 0, at + 1);
    next.sequences = held(read_, at);
    for (const TensorInfo& tensor : all_tensors())
      if (is_kept(tensor.id) && own.has(tensor.id))
        next[tensor.id] = and_one_more(last_[layer][tensor.id], own[tensor.id], position_axis(tensor.id));
    run_forward(next, workspace, [](TensorId id) { return !is_kept(id); });
    from_below = layer + 1 < last_.size() ? what_leaves(next) : Tensor();
    last_[layer] = std::move(next);
  }
}

void Writer::begin_anew() {
  Workspace workspace = Workspace().with(Products::in_order);
  Tensor from_below;
  for (std::size_t layer = 0; layer < last_.size(); ++layer) {
    Trace next = with_weights(*model_.layers[layer], 0, length(), 0, length());
    next.sequences = held(read_, 0);
    next.from_below = from_below;
    run_forward(next, workspace, [](TensorId) { return true; });
    from_below = layer + 1 < last_.size() ? what_leaves(next) : Tensor();
    last_[layer] = std::move(next);
  }
}

Tensor Writer::kept_of(TensorId id, Index layer) const {
  const Trace& trace = last_.at(static_cast<std::size_t>(layer));
  return trace.has(id) ? trace[id].selected(0, 0) : Tensor();
}

Tensor Writer::weights(Index layer) const {
  const Tensor& all = last_.at(static_cast<std::size_t>(layer))[TensorId::weights];  // (1, head, query, key)
  return all.selected(0, 0).selected(1, all.shape()[2] - 1);
}

}  // namespace headlight
