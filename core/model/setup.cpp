#include "core/model/setup.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "core/model/findings.hpp"
#include "core/model/setup_keys.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// The most token labels that are made or kept. Nobody names more positions, and longer lists only cost memory.
constexpr Index most_labels = 100'000;

/// The number of blocks that a draw for a single head can fill; 0 if the tensor has none.
Index blocks(TensorId id, const Setup& setup) {
  const auto axis = info(id).block_axis();
  if (!axis) return 0;
  return info(id).axes[static_cast<std::size_t>(*axis)] == Axis::kv_columns ? setup.kv_heads() : setup.sizes.heads;
}

void check_tensor_draw(Findings& findings, const Setup& setup, const TensorDraw& draw, std::size_t place) {
  const auto key = [&] { return fmt::format("random.draws[{}]", place); };
  const auto text = [&] { return to_string(Draw{draw}); };
  const bool torch = setup.random.generator == GeneratorKind::torch;
  const bool torch_only =
      draw.distribution == Distribution::linear || draw.distribution == Distribution::xavier_uniform;
  findings.require(torch || !torch_only, key, text, [&] {
    return fmt::format("uniform, normal or zeros with the {} generator", to_string(setup.random.generator));
  });

  if (std::holds_alternative<PackedQkv>(draw.target)) {
    findings.require(draw.distribution == Distribution::xavier_uniform && !draw.head, key, text,
                     "W_qkv xavier_uniform");
    findings.require(setup.kv_heads() == setup.sizes.heads, key, text,
                     "W_qkv only where sizes.kv_heads equals sizes.heads, as in nn.MultiheadAttention");
    return;
  }
  const TensorId id = std::get<TensorId>(draw.target);
  findings.require(id != TensorId::Y || setup.is_cross(), key, text, "Y only with attention.source = \"cross\"");
  findings.require(id != TensorId::X || !setup.has_task(), key, text, "no draw of X with a task, which makes it");
  findings.require(id != TensorId::P || setup.position.encoding == Encoding::learned, key, text,
                   "P only with position.encoding = \"learned\"");
  findings.require(!torch_only || info(id).kind == TensorKind::weight, key, text,
                   "linear and xavier_uniform for W_q, W_k, W_v and W_o only");
  if (draw.head && is_size(setup.sizes.heads) && is_size(setup.kv_heads())) {
    const Index count = blocks(id, setup);
    findings.require(*draw.head >= 0 && *draw.head < count, key, text, [&] {
      return count == 0 ? fmt::format("{} as a whole: it has no blocks per head", name(id))
                        : fmt::format("a head from 0 to {}", count - 1);
    });
    findings.require(id != TensorId::W_o || draw.distribution != Distribution::linear, key, text,
                     "W_o linear as a whole: b_o belongs to no head");
  }
}

void require_seed(Findings& findings, GeneratorKind generator, std::int64_t seed, const auto& key, const auto& text) {
  if (generator == GeneratorKind::torch) return;
  const bool is_rng = generator == GeneratorKind::numpy_rng;
  findings.require(seed >= 0 && (is_rng || seed <= 0xFFFF'FFFF), key, text,
                   is_rng ? "a seed of at least 0 with the numpy_rng generator"
                          : "a seed from 0 to 4294967295 with the numpy generator");
}

}  // namespace

void check_seed(Findings& findings, GeneratorKind generator, std::int64_t seed, std::string_view key) {
  require_seed(findings, generator, seed, key, seed);
}

void check_draws(Findings& findings, const Setup& setup) {
  bool seeded = false;
  const auto& draws = setup.random.draws;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const auto key = [&] { return fmt::format("random.draws[{}]", i); };
    const auto text = [&] { return to_string(draws[i]); };
    if (const SeedDraw* seed = std::get_if<SeedDraw>(&draws[i])) {
      seeded = true;
      require_seed(findings, setup.random.generator, seed->seed, key, text);
      continue;
    }
    const auto& draw = std::get<TensorDraw>(draws[i]);
    findings.require(seeded || draw.distribution == Distribution::zeros, key, text,
                     "a \"seed N\" before the first random draw, so that the numbers can be had again");
    check_tensor_draw(findings, setup, draw, i);
  }
  findings.require(seeded || setup.attention.dropout <= 0, "random.draws", "no seed",
                   "a \"seed N\" while attention.dropout is above 0");
}

namespace {

std::optional<Draw> parse_target(std::string_view target, Distribution distribution) {
  TensorDraw draw{.target = TensorId::X, .head = std::nullopt, .distribution = distribution};
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

}  // namespace

std::string to_string(const Draw& draw) {
  if (const SeedDraw* seed = std::get_if<SeedDraw>(&draw)) return fmt::format("seed {}", seed->seed);
  const auto& tensor = std::get<TensorDraw>(draw);
  const TensorId* id = std::get_if<TensorId>(&tensor.target);
  const std::string block = tensor.head ? fmt::format("[{}]", *tensor.head) : std::string{};
  return fmt::format("{}{} {}", id ? name(*id) : "W_qkv", block, to_string(tensor.distribution));
}

std::optional<Draw> parse_draw(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view first = text.substr(0, space);
  const std::string_view second = text.substr(space + 1);
  if (first == "seed") {
    const auto seed = number_from<std::int64_t>(second);
    if (!seed) return std::nullopt;
    return SeedDraw{*seed};
  }
  const auto& words = setup_words<Distribution>;
  const auto* const found = std::find(words.begin(), words.end(), second);
  if (found == words.end()) return std::nullopt;
  return parse_target(first, static_cast<Distribution>(found - words.begin()));
}

bool Attention::is_ablated(Index head) const { return std::ranges::find(ablated_heads, head) != ablated_heads.end(); }

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
  return std::ranges::all_of(drawn_tensors(),
                             [&](TensorId id) { return !draws_into(draw, id) || setup.values.whole(id) != nullptr; });
}

bool Setup::fills(TensorId id) const {
  return values.has(id) || std::any_of(random.draws.begin(), random.draws.end(), [&](const Draw& draw) {
           const auto* tensor = std::get_if<TensorDraw>(&draw);
           return tensor != nullptr && draws_into(*tensor, id);
         });
}

Index Setup::kv_head_of(Index head) const { return head / (sizes.heads / kv_heads()); }

namespace {

std::string label_at(const std::vector<std::string>& labels, Index place) {
  const auto at = static_cast<std::size_t>(place);
  return at < labels.size() ? labels[at] : std::to_string(place);
}

}  // namespace

std::string Setup::query_label(Index place) const { return label_at(tokens, place); }

std::string Setup::feature_label(Index feature) const {
  if (!features.empty() || !has_task()) return label_at(features, feature);
  if (feature < features_of(task)) {
    const bool is_value = feature >= task.symbols;
    return fmt::format("{}{}", is_value ? "= " : "", symbol_word(is_value ? feature - task.symbols : feature));
  }
  const Index hot = feature - (sizes.d_model - positions());
  return position.encoding == Encoding::one_hot && hot >= 0 ? fmt::format("pos {}", hot) : fmt::format("{}", feature);
}

std::string Setup::head_label(Index head) const { return label_at(head_names, head); }

std::string Setup::key_label(Index place) const {
  if (!is_cross()) return query_label(place);
  return label_at(key_tokens, place);
}

std::vector<Problem> problems(const Setup& setup, const std::string& source) {
  Findings findings(source);
  for (const SetupKey& key : setup_keys()) key.check(findings, setup);
  return findings.take();
}

void require_valid(const Setup& setup, const std::string& source) {
  auto found = problems(setup, source);
  if (!found.empty()) throw InputError(std::move(found));
}

Setup with_fitting_labels(Setup setup) {
  const auto fit = [](std::vector<std::string>& labels, Index length) {
    if (labels.empty() || length < 1 || length > largest_size) return;
    if (length > most_labels) {
      labels.clear();
      return;
    }
    const auto count = static_cast<std::size_t>(length);
    for (std::size_t position = labels.size(); position < count; ++position) labels.push_back(std::to_string(position));
    labels.resize(count);
  };
  fit(setup.tokens, setup.sizes.query_length);
  fit(setup.features, setup.sizes.d_model);
  fit(setup.head_names, setup.sizes.heads);
  if (setup.is_cross()) fit(setup.key_tokens, setup.key_length());
  else setup.key_tokens.clear();
  return setup;
}

}  // namespace headlight
