#include "core/engine/cost.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/model/shapes.hpp"
#include "core/setup/keys.hpp"
#include "core/stages/gradient.hpp"

namespace headlight {
namespace {

// The speed of an ordinary laptop.
constexpr double flops_per_second = 40e9;  // in float32; float64 takes twice as long
constexpr double bytes_per_second = 8e9;
constexpr double draws_per_second = 150e6;
constexpr double seconds_per_stage = 1e-6;

double seconds(const Cost& cost, Precision precision) {
  const double flops = precision == Precision::float32 ? flops_per_second : flops_per_second / 2;
  return seconds_per_stage + cost.flops / flops + cost.bytes / bytes_per_second + cost.draws / draws_per_second;
}

bool draws_again(const Setup& a, const Setup& b) {
  const bool same = a.random == b.random && a.task == b.task && a.values == b.values && a.d_head() == b.d_head() &&
                    a.attention.token_axis == b.attention.token_axis &&
                    a.attention.weight_layout == b.attention.weight_layout &&
                    std::ranges::all_of(drawn_tensors(), [&](TensorId id) { return same_form(id, a, b); });
  return !same;
}

bool makes_other_sequences(const Setup& a, const Setup& b) {
  return a.task != b.task || a.random.generator != b.random.generator || a.sizes.batch != b.sizes.batch ||
         a.token_count() != b.token_count() || a.past() != b.past();
}

/// Whether both setups learn in the same way, however many steps they take.
bool learns_alike(const Setup& a, const Setup& b) {
  return std::ranges::all_of(setup_keys(), [&](const SetupKey& key) {
    return !key.affects_numbers || key.name == "training.steps" || key.same(a, b);
  });
}

/// Whether the stage can keep its result from a trace of `last`. `changed` tells which tensors will differ from those.
bool holds(const Setup* last, const Stage& stage, const Setup& setup, const std::array<bool, tensor_count>& changed) {
  if (last == nullptr || !exists(stage.result, *last) || !stage.same_settings(setup, *last)) return false;
  if (!same_form(stage.result, setup, *last)) return false;
  // What comes through the seams between layers: X is marked as changed before its layer begins.
  if (stage.result == TensorId::X && !setup.is_first()) return !changed[index_of(TensorId::X)];
  if (!setup.is_last() && stage.result == gradient_of(what_leaves(setup)))
    return !changed[index_of(what_leaves(setup))];
  if (is_drawn(stage.result, setup)) {
    const bool same_steps = setup.training.steps == last->training.steps;
    const bool learnt = setup.training.steps > 0 && !learns_alike(setup, *last);
    return same_steps && !learnt && !draws_again(setup, *last);
  }
  if (stage.operation->asks && makes_other_sequences(setup, *last)) return false;
  return std::ranges::none_of(stage.operands, [&](const Operand& operand) {
    const TensorId id = operand.tensor;
    return changed[index_of(id)] || exists(id, setup) != exists(id, *last);
  });
}

/// What the stages of the layer that the setup is asked about take, and whether what it hands on will change.
/// `from_below` says the same of what it gets.
struct LayerEstimate {
  std::vector<double> seconds;
  bool hands_on = false;
};
LayerEstimate estimate_of(const Setup& setup, const Setup* last, bool from_below) {
  std::array<bool, tensor_count> changed{};
  changed[index_of(TensorId::X)] = from_below;
  LayerEstimate estimate;
  for (const Stage& stage : all_stages()) {
    const bool held = !exists(stage.result, setup) || holds(last, stage, setup, changed);
    changed[static_cast<std::size_t>(stage.result)] = !held;
    estimate.seconds.push_back(held ? 0 : seconds(cost(stage, setup), setup.attention.precision));
  }
  estimate.hands_on = changed[index_of(what_leaves(setup))];
  return estimate;
}

}  // namespace

Cost cost(const Stage& stage, const Setup& setup) {
  const auto elements = [&](TensorId id) {
    return exists(id, setup) ? static_cast<double>(shape(id, setup).elements()) : 0;
  };
  const double written = is_window(stage.result, setup) ? 0 : elements(stage.result);
  if (written == 0) return {};
  double read = 0;
  for (const Operand& operand : operands_of(stage, setup)) read += elements(operand.tensor);

  Cost cost;
  cost.bytes = (read + written) * static_cast<double>(bytes_per_element(setup.attention.precision));
  const auto flops = [&](const Stage& product) {
    return 2 * elements(product.result) * static_cast<double>(extent(summed_axis(product, setup), setup));
  };
  if (stage.kind == StageKind::product) cost.flops = flops(stage);
  if (stage.kind == StageKind::gradient) {
    // The gradient through a product is a product of the same size.
    for (const GradientPath& path : gradient_paths(gradient_of(stage.result), setup))
      if (path.through->kind == StageKind::product) cost.flops += flops(*path.through);
  }
  if (is_drawn(stage.result, setup) || stage.operation->takes_chances) cost.draws = written;
  return cost;
}

std::vector<double> estimated_stage_seconds(const Setup& setup, const Trace* last) {
  const Index layers = setup.sizes.layers;
  const bool is_known = last != nullptr && last->setup.sizes.layers == layers;
  const auto of_layer = [&](Index layer, bool from_below) {
    const Setup before = is_known ? seen_at(last->setup, layer) : Setup();
    return estimate_of(seen_at(setup, layer), is_known ? &before : nullptr, from_below);
  };
  LayerEstimate first = of_layer(0, false);
  if (layers == 1) return first.seconds;
  // The layers between the first and the last take what these take, without their ends.
  const LayerEstimate top = of_layer(layers - 1, first.hands_on);
  for (std::size_t i = 0; i < first.seconds.size(); ++i) first.seconds[i] = std::max(first.seconds[i], top.seconds[i]);
  return first.seconds;
}

double estimated_training_seconds(const Setup& setup, const Trace* last) {
  Setup step = setup;
  step.training.steps = 0;
  step.sizes.batch = setup.training.batch;
  Index steps = setup.training.steps;
  if (last != nullptr && learns_alike(setup, last->setup)) steps -= std::min(steps, last->setup.training.steps);
  if (steps == 0) return 0;
  const std::vector<double> estimates = estimated_stage_seconds(step);
  return static_cast<double>(steps * setup.sizes.layers) * std::accumulate(estimates.begin(), estimates.end(), 0.0);
}

double estimated_seconds(const Setup& setup, const Trace* last) {
  const std::vector<double> estimates = estimated_stage_seconds(setup, last);
  const double of_layer = std::accumulate(estimates.begin(), estimates.end(), 0.0);
  return static_cast<double>(setup.sizes.layers) * of_layer + estimated_training_seconds(setup, last);
}

}  // namespace headlight
