#include "app/session/setup_edits.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "core/shapes.hpp"

namespace headlight {
namespace {

constexpr std::array weights{TensorId::W_q, TensorId::W_k, TensorId::W_v, TensorId::W_o};
constexpr std::array biases{TensorId::b_q, TensorId::b_k, TensorId::b_v, TensorId::b_o};
constexpr std::int64_t numpy_seeds = std::int64_t{1} << 32;
constexpr Index largest_size = 1'000'000'000;
constexpr std::int64_t beyond_hope = 4 * default_memory_limit;

TensorId weight_of(TensorId bias) { return static_cast<TensorId>(static_cast<int>(bias) - 1); }

TensorDraw* tensor_draw(Draw& draw) { return std::get_if<TensorDraw>(&draw); }
const TensorDraw* tensor_draw(const Draw& draw) { return std::get_if<TensorDraw>(&draw); }
bool fills(const TensorDraw& draw, TensorId id) { return draw.target == std::variant<TensorId, PackedQkv>{id}; }
bool is_packed(const TensorDraw& draw) { return std::holds_alternative<PackedQkv>(draw.target); }

Draw whole(TensorId id, Distribution distribution) {
  return TensorDraw{.target = id, .head = std::nullopt, .distribution = distribution};
}

template <class Predicate>
void erase_tensor_draws(std::vector<Draw>& draws, Predicate&& predicate) {
  std::erase_if(draws, [&](const Draw& draw) {
    const TensorDraw* tensor = tensor_draw(draw);
    return tensor != nullptr && predicate(*tensor);
  });
}

/// A random draw needs a seed before it.
void ensure_seed(Setup& setup) {
  if (!first_seed(setup)) setup.random.draws.insert(setup.random.draws.begin(), SeedDraw{0});
}

/// Three draws in the place of the packed in-projection.
void unpack(std::vector<Draw>& draws) {
  std::vector<Draw> unpacked;
  for (const Draw& draw : draws) {
    const TensorDraw* tensor = tensor_draw(draw);
    if (tensor == nullptr || !is_packed(*tensor)) {
      unpacked.push_back(draw);
      continue;
    }
    for (TensorId id : {TensorId::W_q, TensorId::W_k, TensorId::W_v})
      unpacked.push_back(whole(id, tensor->distribution));
  }
  draws = std::move(unpacked);
}

/// The divisor of `number` nearest to `wanted`, from above or from below.
Index snapped(Index wanted, Index number, bool upwards) {
  const std::vector<Index> choices = divisors(number);
  const auto above = std::lower_bound(choices.begin(), choices.end(), wanted);
  if (above != choices.end() && (*above == wanted || upwards)) return *above;
  return above == choices.begin() ? choices.front() : *std::prev(above);
}

/// Heads for which per-head draws of the tensor exist; 0 where it is drawn as a whole.
Index drawn_heads(const std::vector<Draw>& draws, TensorId id) {
  Index heads = 0;
  for (const Draw& draw : draws) {
    const TensorDraw* tensor = tensor_draw(draw);
    if (tensor != nullptr && tensor->head && fills(*tensor, id)) heads = std::max(heads, *tensor->head + 1);
  }
  return heads;
}

bool belongs_to_kv_heads(TensorId id) {
  return id == TensorId::W_k || id == TensorId::b_k || id == TensorId::W_v || id == TensorId::b_v;
}

Index head_count(TensorId id, const Setup& setup) {
  return belongs_to_kv_heads(id) ? setup.kv_heads() : setup.sizes.heads;
}

void drop_head_draws(Setup& setup) {
  erase_tensor_draws(setup.random.draws, [&](const TensorDraw& draw) {
    const TensorId* id = std::get_if<TensorId>(&draw.target);
    return id != nullptr && draw.head && *draw.head >= head_count(*id, setup);
  });
}

/// Where every head of `before` was drawn on its own, each new head is drawn last and as the last of those was.
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

void fit_mask(Setup& setup) {
  MaskSettings& mask = setup.mask;
  const Index keys = setup.key_length();
  if (!mask.valid_lengths.empty()) {
    mask.valid_lengths.resize(static_cast<std::size_t>(setup.sizes.batch), mask.valid_lengths.back());
    for (Index& length : mask.valid_lengths) length = std::clamp<Index>(length, 0, keys);
  }
  std::erase_if(mask.blocked, [&](const auto& pair) {
    return pair.first < 0 || pair.second < 0 || pair.first >= setup.sizes.query_length || pair.second >= keys;
  });
  mask.window = std::max<Index>(mask.window, 0);
}

std::vector<std::string> words(std::string_view sentence) {
  std::istringstream stream{std::string(sentence)};
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(std::move(word));
  return found;
}

Setup with_labels(const Setup& setup, std::string_view sentence, std::vector<std::string> Setup::*labels,
                  Setup (*with_length)(const Setup&, Index)) {
  Setup edited = setup;
  edited.*labels = words(sentence);
  const auto count = static_cast<Index>((edited.*labels).size());
  return count == 0 ? edited : with_length(edited, count);
}

bool is_position(const Setup& setup, Index position) { return position >= 0 && position < setup.sizes.query_length; }

/// Every position by its label, also where there were none.
Setup labelled(Setup setup) {
  if (setup.tokens.empty()) setup.tokens.push_back(setup.query_label(0));
  return with_fitting_labels(std::move(setup));
}

/// What a bias is drawn as next to its weight.
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

/// Sizes that the engine will refuse are handed on without labels and masks: making those fit could take all memory,
/// and the refusal then speaks of the sizes alone.
Setup without_details(Setup setup) {
  setup.tokens.clear();
  setup.key_tokens.clear();
  setup.mask = {};
  return setup;
}

Index in_range(Index size) { return std::clamp<Index>(size, 1, largest_size); }

Setup resized_by(const Setup& setup, Index Sizes::*size, Index value) {
  Sizes sizes = setup.sizes;
  sizes.*size = value;
  return resized(setup, sizes);
}

}  // namespace

std::vector<Index> divisors(Index number) {
  std::vector<Index> low;
  std::vector<Index> high;
  for (Index divisor = 1; divisor * divisor <= number; ++divisor) {
    if (number % divisor != 0) continue;
    low.push_back(divisor);
    if (divisor * divisor != number) high.push_back(number / divisor);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

Setup resized(const Setup& setup, Sizes sizes) {
  const Sizes& old = setup.sizes;
  for (Index* size : {&sizes.batch, &sizes.query_length, &sizes.d_model, &sizes.heads}) *size = in_range(*size);
  if (sizes.key_length) sizes.key_length = in_range(*sizes.key_length);
  if (sizes.kv_heads) sizes.kv_heads = in_range(*sizes.kv_heads);
  sizes.heads = snapped(sizes.heads, sizes.d_model, sizes.heads > old.heads);

  const bool kv_edited = sizes.kv_heads && sizes.kv_heads != old.kv_heads;
  const bool kv_follow = !kv_edited && old.kv_heads.value_or(old.heads) == old.heads;
  if (sizes.kv_heads && !kv_follow) {
    sizes.kv_heads = snapped(*sizes.kv_heads, sizes.heads, *sizes.kv_heads > old.kv_heads.value_or(old.heads));
  }
  if (sizes.kv_heads && kv_follow) sizes.kv_heads = sizes.heads;

  Setup edited = setup;
  edited.sizes = sizes;
  if (estimate_memory(edited).total_bytes > beyond_hope) return without_details(std::move(edited));
  add_head_draws(edited, setup);
  return fitted(std::move(edited));
}

Setup with_batch(const Setup& setup, Index batch) { return resized_by(setup, &Sizes::batch, batch); }
Setup with_query_length(const Setup& setup, Index length) { return resized_by(setup, &Sizes::query_length, length); }
Setup with_d_model(const Setup& setup, Index d_model) { return resized_by(setup, &Sizes::d_model, d_model); }
Setup with_heads(const Setup& setup, Index heads) { return resized_by(setup, &Sizes::heads, heads); }

Setup with_key_length(const Setup& setup, Index length) {
  if (!setup.is_cross()) return with_query_length(setup, length);
  Sizes sizes = setup.sizes;
  sizes.key_length = length;
  return resized(setup, sizes);
}

Setup with_kv_heads(const Setup& setup, Index kv_heads) {
  Sizes sizes = setup.sizes;
  sizes.kv_heads = kv_heads;
  return resized(setup, sizes);
}

Setup with_sentence(const Setup& setup, std::string_view sentence) {
  return with_labels(setup, sentence, &Setup::tokens, with_query_length);
}

Setup with_key_sentence(const Setup& setup, std::string_view sentence) {
  if (!setup.is_cross()) return with_sentence(setup, sentence);
  return with_labels(setup, sentence, &Setup::key_tokens, with_key_length);
}

std::string sentence(const std::vector<std::string>& labels) { return fmt::format("{}", fmt::join(labels, " ")); }

Setup with_added_token(const Setup& setup, std::string_view label) {
  return with_token(with_query_length(setup, setup.sizes.query_length + 1), setup.sizes.query_length, label);
}

Setup with_token(const Setup& setup, Index position, std::string_view label) {
  if (!is_position(setup, position)) return setup;
  Setup edited = labelled(setup);
  edited.tokens[static_cast<std::size_t>(position)] = label;
  return edited;
}

Setup without_token(const Setup& setup, Index position) {
  if (!is_position(setup, position) || setup.sizes.query_length == 1) return setup;
  Setup edited = setup;
  if (!edited.tokens.empty()) edited.tokens.erase(edited.tokens.begin() + position);
  return with_query_length(edited, setup.sizes.query_length - 1);
}

Setup with_source(const Setup& setup, Source source) {
  Setup edited = setup;
  edited.attention.source = source;
  if (source == Source::cross && !setup.is_cross()) {
    edited.sizes.key_length = setup.sizes.query_length;
    const auto distribution = distribution_of(setup, TensorId::X);
    if (distribution) edited = with_distribution(edited, TensorId::Y, *distribution);
  }
  if (source == Source::self) {
    edited.sizes.key_length.reset();
    edited.key_tokens.clear();
    erase_tensor_draws(edited.random.draws, [](const TensorDraw& draw) { return fills(draw, TensorId::Y); });
  }
  return fitted(std::move(edited));
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
    if (SeedDraw* seed = std::get_if<SeedDraw>(&draw))
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
    const bool packed = is_packed(*tensor) && (id == TensorId::W_q || id == TensorId::W_k || id == TensorId::W_v);
    if (packed || fills(*tensor, id)) return tensor->distribution;
  }
  return std::nullopt;
}

Setup with_distribution(const Setup& setup, TensorId id, Distribution distribution) {
  Setup edited = setup;
  std::vector<Draw>& draws = edited.random.draws;
  const bool packed = id == TensorId::W_q || id == TensorId::W_k || id == TensorId::W_v;
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

Setup with_mask_kind(const Setup& setup, MaskKind kind, bool on) {
  Setup edited = setup;
  std::vector<MaskKind>& kinds = edited.mask.kinds;
  std::erase(kinds, kind);
  if (!on) return edited;
  kinds.push_back(kind);
  std::sort(kinds.begin(), kinds.end());
  std::vector<Index>& lengths = edited.mask.valid_lengths;
  if (kind == MaskKind::padding && static_cast<Index>(lengths.size()) != edited.sizes.batch) {
    lengths.assign(static_cast<std::size_t>(edited.sizes.batch), std::max<Index>(edited.key_length() - 1, 1));
  }
  fit_mask(edited);
  return edited;
}

Setup without_mask(const Setup& setup) {
  Setup edited = setup;
  edited.mask.kinds.clear();
  return edited;
}

Setup with_valid_length(const Setup& setup, Index batch, Index length) {
  Setup edited = with_mask_kind(setup, MaskKind::padding, true);
  if (batch < 0 || batch >= edited.sizes.batch) return edited;
  edited.mask.valid_lengths[static_cast<std::size_t>(batch)] = std::clamp<Index>(length, 0, edited.key_length());
  return edited;
}

Setup with_window(const Setup& setup, Index window) {
  Setup edited = with_mask_kind(setup, MaskKind::window, true);
  edited.mask.window = std::max<Index>(window, 0);
  return edited;
}

Setup with_blocked(const Setup& setup, Index query, Index key, bool hidden) {
  Setup edited = with_mask_kind(setup, MaskKind::custom, true);
  auto& blocked = edited.mask.blocked;
  if (is_blocked(edited, query, key) != hidden) {
    if (hidden) blocked.emplace_back(query, key);
    else std::erase(blocked, std::pair{query, key});
  }
  fit_mask(edited);
  return edited;
}

bool is_blocked(const Setup& setup, Index query, Index key) {
  const auto& blocked = setup.mask.blocked;
  return std::find(blocked.begin(), blocked.end(), std::pair{query, key}) != blocked.end();
}

Setup with_dropout(const Setup& setup, double dropout) {
  Setup edited = setup;
  edited.attention.dropout = dropout;
  if (dropout > 0) ensure_seed(edited);
  return edited;
}

Setup fitted(Setup setup) {
  Sizes& sizes = setup.sizes;
  if (!setup.is_cross()) {
    if (sizes.key_length) sizes.key_length = sizes.query_length;
    setup.key_tokens.clear();
  }
  if (sizes.d_model % sizes.heads != 0) sizes.heads = snapped(sizes.heads, sizes.d_model, false);
  if (sizes.kv_heads && sizes.heads % *sizes.kv_heads != 0)
    sizes.kv_heads = snapped(*sizes.kv_heads, sizes.heads, false);
  drop_head_draws(setup);
  fit_mask(setup);
  return with_fitting_labels(std::move(setup));
}

}  // namespace headlight
