#include "core/setup/edits.hpp"

#include <algorithm>

#include "core/model/shapes.hpp"

namespace headlight {
namespace {

const std::vector<TensorId> weights = tensors_of(TensorKind::weight);
const std::vector<TensorId> biases = tensors_of(TensorKind::bias);
constexpr TensorId attention_biases[] = {TensorId::b_q, TensorId::b_k, TensorId::b_v, TensorId::b_o};
constexpr std::int64_t numpy_seeds = largest_numpy_seed + 1;

/// The draw of a tensor; null if the draw is a seed.
TensorDraw* tensor_draw(Draw& draw) { return std::get_if<TensorDraw>(&draw); }
const TensorDraw* tensor_draw(const Draw& draw) { return std::get_if<TensorDraw>(&draw); }
/// Whether the draw names the tensor, and so fills it or one head's block of it.
bool fills(const TensorDraw& draw, TensorId id) { return draw.target == std::variant<TensorId, PackedQkv>{id}; }
/// Whether the draw fills the packed in-projection, which is W_q, W_k and W_v.
bool is_packed(const TensorDraw& draw) { return std::holds_alternative<PackedQkv>(draw.target); }

template <class Predicate>
void erase_tensor_draws(std::vector<Draw>& draws, Predicate&& predicate) {
  std::erase_if(draws, [&](const Draw& draw) {
    const TensorDraw* tensor = tensor_draw(draw);
    return tensor != nullptr && predicate(*tensor);
  });
}

Draw whole(TensorId id, Distribution distribution) {
  return TensorDraw{.target = id, .head = std::nullopt, .distribution = distribution};
}

/// A random draw needs a seed before it: seed 0, where there is none.
void ensure_seed(Setup& setup) {
  if (!first_seed(setup)) setup.random.draws.insert(setup.random.draws.begin(), SeedDraw{0});
}

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

/// Whether the bias is drawn, and not only zeroed.
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

bool has_bias(const Setup& setup, TensorId bias) { return setup.values.has(bias) || is_drawn_bias(setup, bias); }

Distribution in_numpy(Distribution distribution) {
  return is_of_torch(distribution) ? Distribution::uniform : distribution;
}

/// How many heads of the tensor have draws of their own; 0 if it is drawn as a whole.
Index drawn_heads(const std::vector<Draw>& draws, TensorId id) {
  Index heads = 0;
  for (const Draw& draw : draws) {
    const TensorDraw* tensor = tensor_draw(draw);
    if (tensor != nullptr && tensor->head && fills(*tensor, id)) heads = std::max(heads, *tensor->head + 1);
  }
  return heads;
}

Index head_count(TensorId id, const Setup& setup) {
  return info(id).has(Axis::kv_columns) ? setup.kv_heads() : setup.sizes.heads;
}

}  // namespace

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
  const auto is_seed = [](const Draw& draw) { return std::holds_alternative<SeedDraw>(draw); };
  *std::ranges::find_if(edited.random.draws, is_seed) = SeedDraw{seed};
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

Distribution drawn_as(const Setup& setup, TensorId id) {
  if (const auto own = distribution_of(setup, id)) return *own;
  const bool with_weight = info(id).weight && bias_comes_with_weight(setup, id);
  return with_weight ? Distribution::linear : Distribution::zeros;
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
  edited.values.erase(id, {});
  if (distribution != Distribution::zeros) ensure_seed(edited);
  return edited;
}

bool has_biases(const Setup& setup) {
  return std::ranges::any_of(attention_biases, [&](TensorId bias) { return has_bias(setup, bias); });
}

Setup with_biases(const Setup& setup, bool on) {
  Setup edited = setup;
  for (TensorId bias : attention_biases) {
    if (has_bias(setup, bias) == on) continue;
    forget(edited, bias);
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

Setup with_encoding(const Setup& setup, Encoding encoding) {
  Setup edited = setup;
  edited.position.encoding = encoding;
  if (edited.position.is_added()) edited.sizes.d_source.reset();
  if (encoding != Encoding::learned) {
    forget(edited, TensorId::P);
  } else if (!edited.fills(TensorId::P)) {
    ensure_seed(edited);
    edited.random.draws.push_back(whole(TensorId::P, Distribution::normal));
  }
  return edited;
}

Setup with_sink(const Setup& setup, Sink sink) {
  Setup edited = setup;
  edited.attention.sink = sink;
  if (sink != Sink::learned) {
    forget(edited, TensorId::sinks);
  } else if (!edited.fills(TensorId::sinks)) {
    ensure_seed(edited);
    edited.random.draws.push_back(whole(TensorId::sinks, Distribution::normal));
  }
  return edited;
}

Setup with_parts(Setup setup) {
  if (setup.block.residual) {
    setup.sizes.d_out.reset();
  } else {
    setup.block.mlp = Mlp::none;
    setup.norm.placement = NormPlacement::before;
    setup.norm.final = false;
  }
  if (!setup.has_mlp()) setup.block.gated = false;
  if (!setup.has_task()) setup.embedding.learned = false;
  if (!setup.has_task() && !setup.sizes.symbols) setup.embedding.unembed = false;
  for (const TensorId id : drawn_tensors()) {
    const bool is_part = id == TensorId::W_E || (id > TensorId::output && info(id).can_be_drawn());
    if (!is_part) continue;
    if (!exists(id, setup)) forget(setup, id);
    const bool is_matrix = id == TensorId::W_E || info(id).kind == TensorKind::weight;
    if (!exists(id, setup) || !is_matrix || setup.fills(id)) continue;
    ensure_seed(setup);
    const Distribution as_ours = drawn_as(setup, TensorId::W_o);
    setup.random.draws.push_back(whole(id, id == TensorId::W_E ? Distribution::normal : as_ours));
  }
  return with_room_for_symbols(setup);
}

void erase_draws(Setup& setup, TensorId tensor) {
  erase_tensor_draws(setup.random.draws, [&](const TensorDraw& draw) { return fills(draw, tensor); });
}

void forget(Setup& setup, TensorId tensor) {
  erase_draws(setup, tensor);
  const Values given = setup.values;
  for (const GivenValue& value : given.entries())
    if (value.tensor == tensor) setup.values.erase(value.tensor, value.part);
}

void drop_head_draws(Setup& setup) {
  erase_tensor_draws(setup.random.draws, [&](const TensorDraw& draw) {
    const TensorId* id = std::get_if<TensorId>(&draw.target);
    return id != nullptr && draw.head && *draw.head >= head_count(*id, setup);
  });
}

void add_head_draws(Setup& setup, const Setup& before) {
  for (Index head = 0; head < setup.sizes.heads; ++head) {
    for (const Draw& draw : before.random.draws) {
      const TensorDraw* tensor = tensor_draw(draw);
      const TensorId* id = tensor != nullptr && tensor->head ? std::get_if<TensorId>(&tensor->target) : nullptr;
      if (id == nullptr) continue;
      const Index drawn = drawn_heads(before.random.draws, *id);
      const bool is_last = *tensor->head == drawn - 1 && drawn == head_count(*id, before);
      if (!is_last || head < drawn || head >= head_count(*id, setup)) continue;
      TensorDraw added = *tensor;
      added.head = head;
      setup.random.draws.emplace_back(added);
    }
  }
}

}  // namespace headlight
