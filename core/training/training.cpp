#include "core/training/training.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// How much memory kept states may take, and how many there may be at most and at least.
constexpr std::size_t kept_bytes = std::size_t{64} << 20;
constexpr std::size_t most_states = 512;
constexpr std::size_t fewest_states = 8;

/// The setup of a step: everything of it that has no effect on the numbers of a step is left out.
Setup setup_of_step(const Setup& of_layer) {
  Setup setup = while_learning(of_layer);
  setup.title.clear();
  setup.tokens.clear();
  setup.key_tokens.clear();
  setup.features.clear();
  setup.head_names.clear();
  setup.training.steps = 0;
  setup.sizes.batch = setup.training.batch;
  // Where texts are given to be shown, nothing is drawn for them, whatever they are.
  if (!setup.task.shown.empty()) setup.task.shown = {""};
  return setup;
}

std::vector<Tensor> windows_of(const std::vector<LayerTensor>& tensors, const ModelTrace& model) {
  std::vector<Tensor> windows;
  for (const LayerTensor& each : tensors) windows.push_back(model.at(each.layer)[each.tensor]);
  return windows;
}

TrainingState first_state(const Setup& setup, const ModelTrace& drawn) {
  TrainingState state{.step = 0, .parameters = {}, .sequences = SequenceSource(setup)};
  for (const LayerTensor& each : learned_in_model(setup))
    state.parameters.push_back({drawn.at(each.layer)[each.tensor].contiguous(), {}, {}});
  shown_sequences(setup, state.sequences);  // they are drawn first
  return state;
}

std::size_t states_in(std::size_t bytes, const TrainingState& state) {
  std::size_t each = sizeof(Generator);
  for (const Parameter& parameter : state.parameters)
    each += 3 * static_cast<std::size_t>(parameter.value.elements()) * bytes_per_element(parameter.value.precision());
  return std::clamp(bytes / each, fewest_states, most_states);
}

}  // namespace

void put_into(std::span<Trace* const> layers, const TrainingState& state) {
  const std::vector<LayerTensor> learned = learned_in_model(layers.front()->setup);
  for (std::size_t i = 0; i < learned.size(); ++i)
    (*layers[static_cast<std::size_t>(learned[i].layer)])[learned[i].tensor] = state.parameters[i].value;
}

Training::Training(const Setup& setup, const ModelTrace& drawn)
    : setup_(setup_of_step(setup)),
      shown_(setup.sizes.batch),
      learned_(learned_in_model(setup)),
      drawn_(windows_of(learned_, drawn)),
      furthest_(first_state(setup, drawn)),
      before_(furthest_) {
  most_kept_ = states_in(kept_bytes, furthest_);
  keep(furthest_);
}

bool Training::is_of(const Setup& setup, const ModelTrace& drawn) const {
  return shown_ == setup.sizes.batch && setup_ == setup_of_step(setup) && learned_ == learned_in_model(setup) &&
         std::ranges::equal(drawn_, windows_of(learned_, drawn), &Tensor::same_window);
}

TrainingState Training::at(Index step, Workspace& workspace, const OnStep& on_step) {
  if (step > furthest_.step && !exploded_at_) go_on(step, workspace, on_step);
  if (step >= furthest_.step) return furthest_;
  if (!last_ || last_->step != step) last_ = again(step, workspace);
  return *last_;
}

void Training::go_on(Index to, Workspace& workspace, const OnStep& on_step) {
  BatchWalk walk(setup_);
  if (!range_ || range_->to != to) range_ = {furthest_.step, to};
  while (furthest_.step < to) {
    auto [state, loss] = step_from(furthest_, walk, workspace);
    if (!std::isfinite(loss)) {
      // The weights are finite, but the numbers computed with them are not: the step before was too large.
      exploded_at_ = furthest_.step;
      take_back();
      return;
    }
    losses_.push_back(loss);
    if (!std::ranges::all_of(state.parameters, is_finite, &Parameter::value)) {
      exploded_at_ = state.step;
      return;
    }
    before_ = std::exchange(furthest_, std::move(state));
    keep(furthest_);
    if (on_step) on_step(furthest_);
    workspace.reach(static_cast<double>(furthest_.step - range_->from) / static_cast<double>(to - range_->from));
    workspace.may_pause();
  }
  range_.reset();
}

TrainingState Training::again(Index step, Workspace& workspace) const {
  BatchWalk walk(setup_);
  TrainingState state = nearest(step);
  while (state.step < step) state = step_from(state, walk, workspace).state;
  return state;
}

Training::Stepped Training::step_from(const TrainingState& from, BatchWalk& walk, Workspace& workspace) const {
  Workspace quiet = workspace.quiet();
  TrainingState state{.step = from.step + 1, .parameters = {}, .sequences = from.sequences};
  const Sequences batch = state.sequences.next(setup_.sizes.batch);
  const BatchGradients back = walk.run(from.parameters, batch, quiet);
  for (std::size_t i = 0; i < learned_.size(); ++i)
    state.parameters.push_back(stepped(from.parameters[i], back.gradients[i], setup_.training, state.step));
  return {std::move(state), back.loss};
}

void Training::take_back() {
  furthest_ = before_;
  std::erase_if(kept_, [&](const TrainingState& state) { return state.step > furthest_.step; });
  losses_.resize(static_cast<std::size_t>(furthest_.step));
}

void Training::keep(const TrainingState& state) {
  if (state.step % distance_ != 0) return;
  kept_.push_back(state);
  if (kept_.size() <= most_kept_) return;
  distance_ *= 2;
  std::erase_if(kept_, [&](const TrainingState& each) { return each.step % distance_ != 0; });
}

const TrainingState& Training::nearest(Index step) const {
  const auto behind = std::ranges::upper_bound(kept_, step, {}, &TrainingState::step);
  const TrainingState& kept = *std::prev(behind);
  return last_ && last_->step <= step && last_->step > kept.step ? *last_ : kept;
}

}  // namespace headlight
