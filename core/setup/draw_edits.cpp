#include "core/setup/edits.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/model/shapes.hpp"

namespace headlight {
namespace {

const std::vector<TensorId> weights = tensors_of(TensorKind::weight);
const std::vector<TensorId> biases = tensors_of(TensorKind::bias);
constexpr TensorId attention_biases[] = {TensorId::b_q, TensorId::b_k, TensorId::b_v, TensorId::b_o};
constexpr std::int64_t numpy_seeds = largest_numpy_seed + 1;

/// The draw of a tensor; null if the draw is a seed.
const TensorDraw* tensor_draw(const Draw& draw) { return std::get_if<TensorDraw>(&draw); }
/// Whether the draw names the tensor, and so fills it or one head's block of it.
bool fills(const TensorDraw& draw, TensorId id) { return draw.target == std::variant<TensorId, PackedQkv>{id}; }
/// Whether the draw fills the packed in-projection, which is W_q, W_k and W_v.
bool is_packed(const TensorDraw& draw) { return std::holds_alternative<PackedQkv>(draw.target); }

template <class Predicate>
void erase_tensor_draws(std::vector<Draw>& draws, Predicate&& predicate) {
  const auto is_unwanted = [&](const auto& draw) {
    const auto* tensor = std::get_if<TensorDraw>(&draw);
    return tensor != nullptr && predicate(*tensor);
  };
  for (Draw& draw : draws)
    if (auto* const layers = std::get_if<LayerDraws>(&draw)) std::erase_if(layers->draws, is_unwanted);
  std::erase_if(draws, [&](const Draw& draw) {
    const auto* const layers = std::get_if<LayerDraws>(&draw);
    return layers != nullptr ? layers->draws.empty() : is_unwanted(draw);
  });
}

/// Calls body(draw, whether it is carried out in each layer) for each seed and each draw of a tensor.
template <class Body>
void for_each_draw(std::vector<Draw>& draws, Body&& body) {
  for (Draw& draw : draws) {
    if (auto* const layers = std::get_if<LayerDraws>(&draw)) {
      for (PlainDraw& each : layers->draws) std::visit([&](auto& one) { body(one, true); }, each);
    } else if (auto* const tensor = std::get_if<TensorDraw>(&draw)) {
      body(*tensor, false);
    } else {
      body(std::get<SeedDraw>(draw), false);
    }
  }
}

/// The draws of tensors in the layer that the setup is asked about, in order.
std::vector<TensorDraw> drawn_here(const Setup& setup) {
  std::vector<TensorDraw> found;
  for (const PlainDraw& draw : draws_in_order(setup)) {
    const auto* const tensor = std::get_if<TensorDraw>(&draw);
    const auto* const id = tensor != nullptr ? std::get_if<TensorId>(&tensor->target) : nullptr;
    const bool is_once = id != nullptr && info(*id).is_of_model();
    if (tensor != nullptr && (is_once || tensor->layer == setup.layer)) found.push_back(*tensor);
  }
  return found;
}

TensorDraw whole(TensorId id, Distribution distribution) {
  return {.target = id, .head = std::nullopt, .distribution = distribution};
}

/// Draws the whole tensor, in each layer that has it.
void add_draw(Setup& setup, TensorId id, Distribution distribution) {
  if (setup.sizes.layers == 1 || info(id).is_of_model() || id == TensorId::X)
    setup.random.draws.emplace_back(whole(id, distribution));
  else setup.random.draws.emplace_back(LayerDraws{{whole(id, distribution)}});
}

/// A random draw needs a seed before it: seed 0, where there is none.
void ensure_seed(Setup& setup) {
  if (!first_seed(setup)) setup.random.draws.insert(setup.random.draws.begin(), SeedDraw{0});
}

TensorId weight_of(TensorId bias) { return info(bias).weight.value(); }

/// Replaces the draw of the packed in-projection by draws of W_q, W_k and W_v.
template <class AnyDraw>
void unpack(std::vector<AnyDraw>& draws) {
  std::vector<AnyDraw> unpacked;
  for (AnyDraw& draw : draws) {
    if constexpr (std::is_same_v<AnyDraw, Draw>)
      if (auto* const layers = std::get_if<LayerDraws>(&draw)) unpack(layers->draws);
    const auto* tensor = std::get_if<TensorDraw>(&draw);
    if (tensor == nullptr || !is_packed(*tensor)) {
      unpacked.push_back(draw);
      continue;
    }
    for (TensorId id : weights) {
      if (!is_in_projection(id)) continue;
      TensorDraw one = whole(id, tensor->distribution);
      one.layer = tensor->layer;
      unpacked.emplace_back(one);
    }
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
  for (const TensorDraw& draw : drawn_here(setup)) {
    if (fills(draw, bias)) on = draw.distribution != Distribution::zeros;
    else if (fills(draw, weight_of(bias)) && draw.distribution == Distribution::linear) on = true;
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
  for_each_draw(edited.random.draws, [&](auto& draw, bool) {
    if constexpr (std::is_same_v<decltype(draw), TensorDraw&>) draw.distribution = in_numpy(draw.distribution);
    else if (generator == GeneratorKind::numpy || draw.seed < 0)
      draw.seed = ((draw.seed % numpy_seeds) + numpy_seeds) % numpy_seeds;
  });
  for (TensorId bias : lost_biases) add_draw(edited, bias, Distribution::uniform);
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
  for (const TensorDraw& draw : drawn_here(setup)) {
    const bool packed = is_packed(draw) && is_in_projection(id);
    if (packed || fills(draw, id)) return draw.distribution;
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
  if (!distribution_of(setup, id)) add_draw(edited, id, distribution);
  for_each_draw(draws, [&](auto& draw, bool of_each) {
    if constexpr (std::is_same_v<decltype(draw), TensorDraw&>) {
      const bool is_here = of_each || info(id).is_of_model() || draw.layer == setup.layer;
      if (is_here && fills(draw, id)) draw.distribution = distribution;
    }
  });
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
    if (implied && !on) add_draw(edited, bias, Distribution::zeros);
    if (!implied && on) add_draw(edited, bias, bias_distribution(edited, bias));
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
    add_draw(edited, TensorId::P, Distribution::normal);
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
    add_draw(edited, TensorId::sinks, Distribution::normal);
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
    setup.sizes.layers = 1;
    draw_one_layer(setup);
    fit_layers(setup);
  }
  if (!setup.has_mlp()) setup.block.gated = false;
  if (!setup.has_task()) setup.embedding.learned = false;
  if (!setup.has_task() && !setup.sizes.symbols) setup.embedding.unembed = false;
  for (const TensorId id : drawn_tensors()) {
    const bool is_part = id == TensorId::W_E || (id > TensorId::output && info(id).can_be_drawn());
    if (!is_part) continue;
    const auto has_it = [&, id](Index layer) { return exists(id, seen_at(setup, layer)); };
    const bool is_there = has_it(0) || has_it(setup.sizes.layers - 1);
    if (!is_there) forget(setup, id);
    const bool is_matrix = id == TensorId::W_E || info(id).kind == TensorKind::weight;
    if (!is_there || !is_matrix || setup.fills(id)) continue;
    ensure_seed(setup);
    const Distribution as_ours = drawn_as(setup, TensorId::W_o);
    add_draw(setup, id, id == TensorId::W_E ? Distribution::normal : as_ours);
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
    if (value.tensor == tensor) {
      setup.values.look_at(value.layer);
      setup.values.erase(value.tensor, value.part);
    }
  setup.values.look_at(setup.layer);
}

void fit_layers(Setup& setup) {
  const Index layers = setup.sizes.layers;
  std::erase_if(setup.random.draws, [&](const Draw& draw) {
    const TensorDraw* const tensor = tensor_draw(draw);
    return tensor != nullptr && tensor->layer >= layers;
  });
  const Values given = setup.values;
  for (const GivenValue& value : given.entries()) {
    if (value.layer < layers) continue;
    setup.values.look_at(value.layer);
    setup.values.erase(value.tensor, value.part);
  }
  const Index layer = std::min(setup.layer, layers - 1);
  setup = seen_at(std::move(setup), layer);
}

void draw_each_layer(Setup& setup) {
  const auto is_of_layer = [](const Draw& draw) {
    const TensorDraw* const tensor = tensor_draw(draw);
    if (tensor == nullptr) return false;
    const auto* const id = std::get_if<TensorId>(&tensor->target);
    return id == nullptr || (!info(*id).is_of_model() && *id != TensorId::X);
  };
  std::vector<Draw> grouped;
  LayerDraws run;
  const auto end_run = [&] {
    if (!run.draws.empty()) grouped.emplace_back(std::exchange(run, {}));
  };
  for (const Draw& draw : setup.random.draws) {
    if (is_of_layer(draw)) {
      run.draws.emplace_back(std::get<TensorDraw>(draw));
      continue;
    }
    end_run();
    grouped.push_back(draw);
  }
  end_run();
  setup.random.draws = std::move(grouped);
}

void draw_one_layer(Setup& setup) {
  std::vector<Draw> plain;
  for (const PlainDraw& draw : draws_in_order(setup))
    std::visit([&](const auto& one) { plain.emplace_back(one); }, draw);
  setup.random.draws = std::move(plain);
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
