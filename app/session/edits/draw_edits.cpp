#include "app/session/edits/draw_edits.hpp"

#include <algorithm>
#include <array>

#include "app/session/edits/tensor_draws.hpp"

namespace headlight {
namespace {

const std::vector<TensorId> weights = tensors_of(TensorKind::weight);
const std::vector<TensorId> biases = tensors_of(TensorKind::bias);
constexpr std::int64_t numpy_seeds = std::int64_t{1} << 32;

TensorId weight_of(TensorId bias) { return info(bias).weight.value(); }

/// Replaces the draw of the packed in-projection by draws of W_q, W_k and W_v.
void unpack(std::vector<Draw>& draws) {
  std::vector<Draw> unpacked;
  for (const Draw& draw : draws) {
    const TensorDraw* tensor = tensor_draw(draw);
    if (tensor == nullptr || !is_packed(*tensor)) {
      unpacked.push_back(draw);
      continue;
    }
    for (TensorId id : weights)
      if (is_in_projection(id)) unpacked.push_back(whole(id, tensor->distribution));
  }
  draws = std::move(unpacked);
}

/// The distribution that a bias is drawn from, given how its weight is drawn.
Distribution bias_distribution(const Setup& setup, TensorId bias) {
  return distribution_of(setup, weight_of(bias)) == Distribution::normal ? Distribution::normal : Distribution::uniform;
}

bool bias_comes_with_weight(const Setup& setup, TensorId bias) {
  return distribution_of(setup, weight_of(bias)) == Distribution::linear;
}

bool is_drawn_bias(const Setup& setup, TensorId bias) {
  bool on = false;
  for (const Draw& draw : setup.random.draws) {
    const TensorDraw* tensor = tensor_draw(draw);
    if (tensor == nullptr) continue;
    if (fills(*tensor, bias)) on = tensor->distribution != Distribution::zeros;
    else if (fills(*tensor, weight_of(bias)) && tensor->distribution == Distribution::linear) on = true;
  }
  return on;
}

void erase_bias_draws(Setup& setup, TensorId bias) {
  erase_tensor_draws(setup.random.draws, [&](const TensorDraw& draw) { return fills(draw, bias); });
}

Distribution in_numpy(Distribution distribution) {
  const bool known = distribution != Distribution::linear && distribution != Distribution::xavier_uniform;
  return known ? distribution : Distribution::uniform;
}

}  // namespace

Draw whole(TensorId id, Distribution distribution) {
  return TensorDraw{.target = id, .head = std::nullopt, .distribution = distribution};
}

void ensure_seed(Setup& setup) {
  if (!first_seed(setup)) setup.random.draws.insert(setup.random.draws.begin(), SeedDraw{0});
}

Setup with_generator(const Setup& setup, GeneratorKind generator) {
  Setup edited = setup;
  edited.random.generator = generator;
  if (generator == GeneratorKind::torch) return edited;
  std::vector<TensorId> lost_biases;
  for (TensorId bias : biases) {
    const bool drawn_with_weight = is_drawn_bias(setup, bias) && bias_comes_with_weight(setup, bias);
    if (drawn_with_weight && !distribution_of(setup, bias)) lost_biases.push_back(bias);
  }
  unpack(edited.random.draws);
  for (Draw& draw : edited.random.draws) {
    if (TensorDraw* tensor = tensor_draw(draw)) tensor->distribution = in_numpy(tensor->distribution);
    SeedDraw* seed = std::get_if<SeedDraw>(&draw);
    if (seed != nullptr && (generator == GeneratorKind::numpy || seed->seed < 0))
      seed->seed = ((seed->seed % numpy_seeds) + numpy_seeds) % numpy_seeds;
  }
  for (TensorId bias : lost_biases) edited.random.draws.push_back(whole(bias, Distribution::uniform));
  return edited;
}

std::optional<std::int64_t> first_seed(const Setup& setup) {
  for (const Draw& draw : setup.random.draws) {
    if (const SeedDraw* seed = std::get_if<SeedDraw>(&draw)) return seed->seed;
  }
  return std::nullopt;
}

Setup with_seed(const Setup& setup, std::int64_t seed) {
  Setup edited = setup;
  ensure_seed(edited);
  for (Draw& draw : edited.random.draws) {
    SeedDraw* found = std::get_if<SeedDraw>(&draw);
    if (found == nullptr) continue;
    found->seed = seed;
    break;
  }
  return edited;
}

std::optional<Distribution> distribution_of(const Setup& setup, TensorId id) {
  for (const Draw& draw : setup.random.draws) {
    const TensorDraw* tensor = tensor_draw(draw);
    if (tensor == nullptr) continue;
    const bool packed = is_packed(*tensor) && (is_in_projection(id));
    if (packed || fills(*tensor, id)) return tensor->distribution;
  }
  return std::nullopt;
}

Setup with_distribution(const Setup& setup, TensorId id, Distribution distribution) {
  Setup edited = setup;
  std::vector<Draw>& draws = edited.random.draws;
  const bool packed = is_in_projection(id);
  if (packed && distribution_of(setup, id) != distribution) unpack(draws);
  if (!distribution_of(setup, id)) draws.push_back(whole(id, distribution));
  for (Draw& draw : draws) {
    TensorDraw* tensor = tensor_draw(draw);
    if (tensor != nullptr && fills(*tensor, id)) tensor->distribution = distribution;
  }
  if (distribution != Distribution::zeros) ensure_seed(edited);
  return edited;
}

Setup with_weight_distribution(const Setup& setup, Distribution distribution) {
  Setup edited = setup;
  for (TensorId weight : weights) edited = with_distribution(edited, weight, distribution);
  return edited;
}

bool has_biases(const Setup& setup) {
  return std::any_of(biases.begin(), biases.end(), [&](TensorId bias) { return is_drawn_bias(setup, bias); });
}

Setup with_biases(const Setup& setup, bool on) {
  Setup edited = setup;
  for (TensorId bias : biases) {
    if (is_drawn_bias(setup, bias) == on) continue;
    erase_bias_draws(edited, bias);
    const bool implied = bias_comes_with_weight(edited, bias);
    if (implied && !on) edited.random.draws.push_back(whole(bias, Distribution::zeros));
    if (!implied && on) edited.random.draws.push_back(whole(bias, bias_distribution(edited, bias)));
  }
  if (has_biases(edited)) ensure_seed(edited);
  return edited;
}

Setup with_dropout(const Setup& setup, double dropout) {
  Setup edited = setup;
  edited.attention.dropout = dropout;
  if (dropout > 0) ensure_seed(edited);
  return edited;
}

}  // namespace headlight
