#include "core/engine/cost.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

// An ordinary laptop.
constexpr double flops_per_second = 40e9;  // in float32; float64 takes twice as long
constexpr double bytes_per_second = 8e9;
constexpr double draws_per_second = 150e6;
constexpr double seconds_per_stage = 1e-6;

double seconds(const Cost& cost, Precision precision) {
  const double flops = precision == Precision::float32 ? flops_per_second : flops_per_second / 2;
  return seconds_per_stage + cost.flops / flops + cost.bytes / bytes_per_second + cost.draws / draws_per_second;
}

bool exists(const Stage& stage, const Setup& setup) {
  return std::any_of(stage.outputs.begin(), stage.outputs.end(), [&](TensorId id) { return exists(id, setup); });
}

bool same_shape(TensorId id, const Setup& a, const Setup& b) {
  return exists(id, a) == exists(id, b) && shape(id, a) == shape(id, b);
}

bool draws_again(const Setup& a, const Setup& b) {
  const auto& drawn = stage(StageId::draw).outputs;
  const bool same =
      a.random == b.random && a.d_head() == b.d_head() && a.attention.precision == b.attention.precision &&
      a.attention.token_axis == b.attention.token_axis && a.attention.weight_layout == b.attention.weight_layout &&
      std::all_of(drawn.begin(), drawn.end(), [&](TensorId id) { return same_shape(id, a, b); });
  return !same;
}

/// Whether the stage would find everything as it made it for `last`. `changed` tells which tensors would be other ones.
bool holds(const Trace* last, const Stage& stage, const Setup& setup, const std::array<bool, tensor_count>& changed) {
  if (last == nullptr || !exists(stage, last->setup) || !same_settings(stage, setup, last->setup)) return false;
  if (stage.id == StageId::draw && draws_again(setup, last->setup)) return false;
  return std::none_of(stage.inputs.begin(), stage.inputs.end(), [&](TensorId id) {
    return changed[static_cast<std::size_t>(id)] || exists(id, setup) != exists(id, last->setup);
  });
}

}  // namespace

Cost cost(const Stage& stage, const Setup& setup) {
  const auto elements = [&](TensorId id) {
    return exists(id, setup) ? static_cast<double>(shape(id, setup).elements()) : 0;
  };
  double written = 0;
  for (TensorId id : stage.outputs) written += is_window(id, setup) ? 0 : elements(id);
  if (written == 0) return {};
  double read = 0;
  for (TensorId id : stage.inputs) read += elements(id);

  Cost cost;
  cost.bytes = (read + written) * static_cast<double>(bytes_per_element(setup.attention.precision));
  if (stage.terms != nullptr) cost.flops = 2 * written * static_cast<double>(stage.terms(setup));
  if (stage.id == StageId::draw || stage.id == StageId::dropout) cost.draws = written;
  return cost;
}

std::vector<double> estimated_stage_seconds(const Setup& setup, const Trace* last) {
  std::array<bool, tensor_count> changed{};
  std::vector<double> estimates;
  for (const Stage& stage : stages()) {
    const bool held = !exists(stage, setup) || holds(last, stage, setup, changed);
    for (TensorId id : stage.outputs) changed[static_cast<std::size_t>(id)] = !held;
    estimates.push_back(held ? 0 : seconds(cost(stage, setup), setup.attention.precision));
  }
  return estimates;
}

double estimated_seconds(const Setup& setup, const Trace* last) {
  const std::vector<double> estimates = estimated_stage_seconds(setup, last);
  return std::accumulate(estimates.begin(), estimates.end(), 0.0);
}

}  // namespace headlight
