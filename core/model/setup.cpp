#include "core/model/setup.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>

#include <fmt/format.h>

#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/text/word_pieces.hpp"

namespace headlight {
namespace {

std::optional<PlainDraw> parse_target(std::string_view target, Distribution distribution, double factor) {
  TensorDraw draw{.target = TensorId::X,
                  .head = std::nullopt,
                  .distribution = distribution,
                  .factor = factor,
                  .layer = take_layer_prefix(target)};
  if (target == "W_qkv") {
    draw.target = PackedQkv{};
    return draw;
  }
  if (target.ends_with(']')) {
    const auto open = target.find('[');
    if (open == std::string_view::npos) return std::nullopt;
    draw.head = number_from<Index>(target.substr(open + 1, target.size() - open - 2));
    if (!draw.head) return std::nullopt;
    target = target.substr(0, open);
  }
  const auto id = tensor_named(target);
  if (!id || !info(*id).can_be_drawn()) return std::nullopt;
  draw.target = *id;
  return draw;
}

std::optional<PlainDraw> parse_plain_draw(std::string_view text);

/// What follows "L*:".
std::optional<Draw> parse_layer_draws(std::string_view text) {
  LayerDraws all;
  for (const std::string_view one : split_at(text, ',')) {
    const auto draw = parse_plain_draw(trimmed(one, " "));
    const auto* const tensor = draw ? std::get_if<TensorDraw>(&*draw) : nullptr;
    if (!draw || (tensor != nullptr && tensor->layer != 0)) return std::nullopt;
    all.draws.push_back(*draw);
  }
  return all;
}

constexpr std::string_view for_each_layer = "L*:";

}  // namespace

std::string to_string(const Draw& draw) {
  if (const auto* seed = std::get_if<SeedDraw>(&draw)) return to_string(PlainDraw(*seed));
  if (const auto* tensor = std::get_if<TensorDraw>(&draw)) return to_string(PlainDraw(*tensor));
  std::string text;
  for (const PlainDraw& each : std::get<LayerDraws>(draw).draws)
    text += fmt::format("{} {}", text.empty() ? for_each_layer : ",", to_string(each));
  return text;
}

std::string to_string(const PlainDraw& draw) {
  if (const SeedDraw* seed = std::get_if<SeedDraw>(&draw)) return fmt::format("seed {}", seed->seed);
  const auto& tensor = std::get<TensorDraw>(draw);
  const TensorId* id = std::get_if<TensorId>(&tensor.target);
  const std::string block = tensor.head ? fmt::format("[{}]", *tensor.head) : std::string{};
  const std::string factor = tensor.factor == 1 ? std::string() : fmt::format(" {}", tensor.factor);
  return fmt::format("{}{}{} {}{}", layer_prefix(tensor.layer), id ? name(*id) : "W_qkv", block,
                     to_string(tensor.distribution), factor);
}

std::optional<Draw> parse_draw(std::string_view text) {
  if (text.starts_with(for_each_layer)) return parse_layer_draws(text.substr(for_each_layer.size()));
  const auto plain = parse_plain_draw(text);
  if (!plain) return std::nullopt;
  return std::visit([](const auto& draw) { return Draw(draw); }, *plain);
}

namespace {

std::optional<PlainDraw> parse_plain_draw(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view first = text.substr(0, space);
  const std::string_view second = text.substr(space + 1);
  if (first == "seed") {
    const auto seed = number_from<std::int64_t>(second);
    if (!seed) return std::nullopt;
    return SeedDraw{*seed};
  }
  const auto end = second.find(' ');
  const auto factor = end == std::string_view::npos ? 1.0 : number_from<double>(second.substr(end + 1));
  if (!factor) return std::nullopt;
  const auto& words = setup_words<Distribution>;
  const auto* const found = std::find(words.begin(), words.end(), second.substr(0, end));
  if (found == words.end()) return std::nullopt;
  return parse_target(first, static_cast<Distribution>(found - words.begin()), *factor);
}

}  // namespace

std::vector<PlainDraw> draws_in_order(const Setup& setup) {
  std::vector<PlainDraw> all;
  all.reserve(setup.random.draws.size());
  for (const Draw& draw : setup.random.draws) {
    if (const auto* seed = std::get_if<SeedDraw>(&draw)) all.emplace_back(*seed);
    if (const auto* tensor = std::get_if<TensorDraw>(&draw)) all.emplace_back(*tensor);
    const auto* const layers = std::get_if<LayerDraws>(&draw);
    for (Index layer = 0; layers != nullptr && layer < setup.sizes.layers; ++layer) {
      for (PlainDraw each : layers->draws) {
        if (auto* const tensor = std::get_if<TensorDraw>(&each)) tensor->layer = layer;
        all.push_back(each);
      }
    }
  }
  return all;
}

std::vector<std::string> ModelSettings::texts() const {
  const auto lines = split_at(text, '\n');
  return {lines.begin(), lines.end()};
}

bool Setup::is_ablated(Index head) const {
  return std::ranges::find(attention.ablated_heads, LayerHead(layer, head)) != attention.ablated_heads.end();
}

Setup seen_at(Setup setup, Index layer) {
  setup.layer = layer;
  setup.values.look_at(layer);
  return setup;
}

bool MaskSettings::has(MaskKind kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }

double Setup::score_factor() const {
  const double scale = std::visit(
      [&](const auto& choice) -> double {
        using Choice = std::decay_t<decltype(choice)>;
        if constexpr (std::is_same_v<Choice, InverseSqrtDHead>) return 1.0 / std::sqrt(static_cast<double>(d_head()));
        else if constexpr (std::is_same_v<Choice, NoScale>) return 1.0;
        else return choice;
      },
      attention.scale);
  return scale / attention.temperature;
}

bool draws_into(const TensorDraw& draw, TensorId id) {
  const auto* target = std::get_if<TensorId>(&draw.target);
  if (target == nullptr) return is_in_projection(id);
  // nn.Linear draws its weight and then its bias, so a `linear` draw fills both.
  return *target == id || (draw.distribution == Distribution::linear && info(id).weight == *target);
}

bool is_replaced(const TensorDraw& draw, const Setup& setup) {
  if (setup.values.empty()) return false;
  return std::ranges::all_of(drawn_tensors(), [&](TensorId id) {
    return !draws_into(draw, id) || setup.values.whole(id, draw.layer) != nullptr;
  });
}

bool Setup::fills(TensorId id) const {
  if (values.has(id)) return true;
  const auto draws_it = [&](const TensorDraw& draw, bool of_each) {
    return draws_into(draw, id) && (of_each || info(id).is_of_model() || draw.layer == layer);
  };
  return std::ranges::any_of(random.draws, [&](const Draw& draw) {
    if (const auto* tensor = std::get_if<TensorDraw>(&draw)) return draws_it(*tensor, false);
    const auto* const layers = std::get_if<LayerDraws>(&draw);
    return layers != nullptr && std::ranges::any_of(layers->draws, [&](const PlainDraw& each) {
             const auto* const tensor = std::get_if<TensorDraw>(&each);
             return tensor != nullptr && draws_it(*tensor, true);
           });
  });
}

Setup while_learning(Setup setup) {
  std::vector<LayerHead>& ablated = setup.attention.ablated_heads;
  const auto is_in = [](const std::vector<LayerHead>& heads, const LayerHead& head) {
    return std::ranges::find(heads, head) != heads.end();
  };
  std::erase_if(ablated, [&](const LayerHead& head) { return is_in(setup.training.with_heads, head); });
  for (const LayerHead& head : setup.training.without_heads)
    if (!is_in(ablated, head)) ablated.push_back(head);
  setup.training.with_heads.clear();
  setup.training.without_heads.clear();
  return setup;
}

bool Setup::same_but_values(const Setup& other) const {
  const auto rest = [](const Setup& of) {
    return std::tie(of.title, of.tokens, of.key_tokens, of.features, of.head_names, of.model, of.sizes, of.attention,
                    of.position, of.norm, of.block, of.embedding, of.mask, of.random, of.task, of.training);
  };
  return rest(*this) == rest(other);
}

Index Setup::kv_head_of(Index head) const { return head / (sizes.heads / kv_heads()); }

namespace {

std::string label_at(const std::vector<std::string>& labels, Index position) {
  const auto at = static_cast<std::size_t>(position);
  return at < labels.size() ? labels[at] : std::to_string(position);
}

std::string token_at(const std::vector<std::string>& tokens, Index position) {
  const auto at = static_cast<std::size_t>(position);
  return at < tokens.size() ? readable_token(tokens, at) : std::to_string(position);
}

}  // namespace

std::string Setup::token_label(Index token) const { return token_at(tokens, token); }

std::string Setup::query_label(Index query) const { return token_label(past() + query); }

std::string Setup::feature_label(Index feature) const {
  if (!features.empty() || !has_task() || embedding.learned) return label_at(features, feature);
  if (feature < features_of(task)) {
    const Index symbols = task.symbol_count();
    const bool is_value = feature >= symbols;
    return fmt::format("{}{}", is_value ? "= " : "", symbol_word(is_value ? feature - symbols : feature, task));
  }
  const Index hot = feature - (sizes.d_model - positions());
  return position.encoding == Encoding::one_hot && hot >= 0 ? fmt::format("pos {}", hot) : fmt::format("{}", feature);
}

std::string Setup::head_label(Index head) const { return label_at(head_names, head); }

std::string Setup::key_label(Index key) const {
  if (!is_cross()) return token_label(key);
  return token_at(key_tokens, key);
}

}  // namespace headlight
