#include "core/engine/cost.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

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
  const bool same = a.random == b.random && a.values == b.values && a.d_head() == b.d_head() &&
                    a.attention.token_axis == b.attention.token_axis &&
                    a.attention.weight_layout == b.attention.weight_layout &&
                    std::ranges::all_of(drawn_tensors(), [&](TensorId id) { return same_form(id, a, b); });
  return !same;
}

/// Whether the stage can keep its result from `last`. `changed` tells which tensors will differ from those in `last`.
bool holds(const Trace* last, const Stage& stage, const Setup& setup, const std::array<bool, tensor_count>& changed) {
  if (last == nullptr || !exists(stage.result, last->setup) || !same_settings(stage, setup, last->setup)) return false;
  if (!same_form(stage.result, setup, last->setup)) return false;
  if (is_drawn(stage.result, setup)) return !draws_again(setup, last->setup);
  return std::ranges::none_of(stage.operands, [&](const Operand& operand) {
    const TensorId id = operand.tensor;
    return changed[static_cast<std::size_t>(id)] || exists(id, setup) != exists(id, last->setup);
  });
}

}  // namespace

Cost cost(const Stage& stage, const Setup& setup) {
  const auto elements = [&](TensorId id) {
    return exists(id, setup) ? static_cast<double>(shape(id, setup).elements()) : 0;
  };
  const double written = is_window(stage.result, setup) ? 0 : elements(stage.result);
  if (written == 0) return {};
  double read = 0;
  for (const Operand& operand : stage.operands) read += reads(operand, setup) ? elements(operand.tensor) : 0;

  Cost cost;
  cost.bytes = (read + written) * static_cast<double>(bytes_per_element(setup.attention.precision));
  if (stage.kind == StageKind::product)
    cost.flops = 2 * written * static_cast<double>(extent(summed_axis(stage, setup), setup));
  if (is_drawn(stage.result, setup) || stage.takes_chances) cost.draws = written;
  return cost;
}

std::vector<double> estimated_stage_seconds(const Setup& setup, const Trace* last) {
  std::array<bool, tensor_count> changed{};
  std::vector<double> estimates;
  for (const Stage& stage : stages()) {
    const bool held = !exists(stage.result, setup) || holds(last, stage, setup, changed);
    changed[static_cast<std::size_t>(stage.result)] = !held;
    estimates.push_back(held ? 0 : seconds(cost(stage, setup), setup.attention.precision));
  }
  return estimates;
}

double estimated_seconds(const Setup& setup, const Trace* last) {
  const std::vector<double> estimates = estimated_stage_seconds(setup, last);
  return std::accumulate(estimates.begin(), estimates.end(), 0.0);
}

}  // namespace headlight
