#include "core/model/setup.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <type_traits>

#include <fmt/format.h>

namespace headlight {
namespace {

constexpr Index largest_size = 1'000'000'000;
/// Beyond this nobody has words for the positions, and a list of their numbers would only cost memory.
constexpr Index most_labels = 100'000;

/// Collects problems under one source name.
class Findings {
 public:
  explicit Findings(const std::string& source) : source_(source) {}

  template <class Found>
  void add(std::string key, const Found& found, std::string allowed) {
    problems_.push_back({source_, std::move(key), fmt::format("{}", found), std::move(allowed)});
  }
  /// Every edit is checked, and nearly all of it holds: literals cost nothing, and what must be put together is given
  /// as functions, which are called for problems only.
  template <class Key, class Found, class Allowed>
  void require(bool holds, const Key& key, const Found& found, const Allowed& allowed) {
    if (!holds) add(said(key), said(found), said(allowed));
  }
  bool empty() const { return problems_.empty(); }
  std::vector<Problem> take() { return std::move(problems_); }

 private:
  template <class Words>
  static decltype(auto) said(const Words& words) {
    if constexpr (std::is_invocable_v<Words>) return words();
    else return words;
  }

  std::string source_;
  std::vector<Problem> problems_;
};

bool is_size(Index value) { return value >= 1 && value <= largest_size; }

void check_size(Findings& findings, const char* key, Index value) {
  findings.require(is_size(value), key, value, [] { return fmt::format("a whole number from 1 to {}", largest_size); });
}

void check_sizes(Findings& findings, const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  check_size(findings, "sizes.batch", sizes.batch);
  check_size(findings, "sizes.query_length", sizes.query_length);
  if (sizes.key_length) check_size(findings, "sizes.key_length", *sizes.key_length);
  check_size(findings, "sizes.d_model", sizes.d_model);
  check_size(findings, "sizes.heads", sizes.heads);
  if (sizes.kv_heads) check_size(findings, "sizes.kv_heads", *sizes.kv_heads);

  if (is_size(sizes.heads) && is_size(sizes.d_model)) {
    findings.require(sizes.d_model % sizes.heads == 0, "sizes.heads", sizes.heads,
                     [&] { return fmt::format("a divisor of sizes.d_model = {}", sizes.d_model); });
  }
  if (sizes.kv_heads && is_size(*sizes.kv_heads) && is_size(sizes.heads)) {
    findings.require(sizes.heads % *sizes.kv_heads == 0, "sizes.kv_heads", *sizes.kv_heads,
                     [&] { return fmt::format("a divisor of sizes.heads = {}", sizes.heads); });
  }
  if (!setup.is_cross() && sizes.key_length) {
    findings.require(*sizes.key_length == sizes.query_length, "sizes.key_length", *sizes.key_length, [&] {
      return fmt::format("sizes.query_length = {}, or left out, in self-attention", sizes.query_length);
    });
  }
}

// What is measured by a size is judged only where that size is one: an impossible size is a single problem.

void check_labels(Findings& findings, const char* key, std::size_t count, Index length, const char* length_key) {
  if (!is_size(length)) return;
  findings.require(
      count == 0 || static_cast<Index>(count) == length, key, [&] { return fmt::format("{} labels", count); },
      [&] { return fmt::format("none, or one per position: {} = {}", length_key, length); });
}

void check_attention(Findings& findings, const Attention& attention) {
  if (const double* factor = std::get_if<double>(&attention.scale)) {
    findings.require(std::isfinite(*factor), "attention.scale", *factor,
                     "\"inverse_sqrt_d_head\", \"none\" or a finite number");
  }
  findings.require(std::isfinite(attention.temperature) && attention.temperature > 0, "attention.temperature",
                   attention.temperature, "a finite number above 0");
  findings.require(attention.dropout >= 0 && attention.dropout < 1, "attention.dropout", attention.dropout,
                   "a number from 0 up to, but not, 1");
}

void check_valid_lengths(Findings& findings, const Setup& setup) {
  const auto& lengths = setup.mask.valid_lengths;
  if (is_size(setup.sizes.batch)) {
    findings.require(
        static_cast<Index>(lengths.size()) == setup.sizes.batch, "mask.valid_lengths",
        [&] { return fmt::format("{} lengths", lengths.size()); },
        [&] { return fmt::format("one per batch item: sizes.batch = {}", setup.sizes.batch); });
  }
  if (!is_size(setup.key_length())) return;
  for (std::size_t item = 0; item < lengths.size(); ++item) {
    findings.require(
        lengths[item] >= 0 && lengths[item] <= setup.key_length(),
        [&] { return fmt::format("mask.valid_lengths[{}]", item); }, lengths[item],
        [&] { return fmt::format("a whole number from 0 to the number of keys, {}", setup.key_length()); });
  }
}

void check_blocked(Findings& findings, const Setup& setup) {
  if (!is_size(setup.sizes.query_length) || !is_size(setup.key_length())) return;
  for (std::size_t i = 0; i < setup.mask.blocked.size(); ++i) {
    const auto [query, key] = setup.mask.blocked[i];
    const bool inside = query >= 0 && query < setup.sizes.query_length && key >= 0 && key < setup.key_length();
    if (inside) continue;  // there may be thousands of them
    findings.add(
        fmt::format("mask.blocked[{}]", i), fmt::format("[{}, {}]", query, key),
        fmt::format("[query, key] with query below {} and key below {}", setup.sizes.query_length, setup.key_length()));
  }
}

void check_mask(Findings& findings, const Setup& setup) {
  const MaskSettings& mask = setup.mask;
  for (std::size_t i = 0; i < mask.kinds.size(); ++i) {
    const auto first = std::find(mask.kinds.begin(), mask.kinds.end(), mask.kinds[i]);
    findings.require(
        first == mask.kinds.begin() + static_cast<std::ptrdiff_t>(i), [&] { return fmt::format("mask.kinds[{}]", i); },
        to_string(mask.kinds[i]), "each kind once");
  }
  if (mask.has(MaskKind::padding)) check_valid_lengths(findings, setup);
  if (mask.has(MaskKind::window))
    findings.require(mask.window >= 0, "mask.window", mask.window, "a whole number of at least 0");
  if (mask.has(MaskKind::custom)) check_blocked(findings, setup);
}

/// Number of blocks that a draw for one head can address; 0 where a tensor has none.
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
  findings.require(torch || !torch_only, key, text, "uniform, normal or zeros with the numpy generator");

  if (std::holds_alternative<PackedQkv>(draw.target)) {
    findings.require(draw.distribution == Distribution::xavier_uniform && !draw.head, key, text,
                     "W_qkv xavier_uniform");
    findings.require(setup.kv_heads() == setup.sizes.heads, key, text,
                     "W_qkv only where sizes.kv_heads equals sizes.heads, as in nn.MultiheadAttention");
    return;
  }
  const TensorId id = std::get<TensorId>(draw.target);
  findings.require(id != TensorId::Y || setup.is_cross(), key, text, "Y only with attention.source = \"cross\"");
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

void check_draws(Findings& findings, const Setup& setup) {
  bool seeded = false;
  const auto& draws = setup.random.draws;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const auto key = [&] { return fmt::format("random.draws[{}]", i); };
    const auto text = [&] { return to_string(draws[i]); };
    if (const SeedDraw* seed = std::get_if<SeedDraw>(&draws[i])) {
      seeded = true;
      const bool has_32_bits = seed->seed >= 0 && seed->seed <= 0xFFFF'FFFF;
      findings.require(setup.random.generator == GeneratorKind::torch || has_32_bits, key, text,
                       "a seed from 0 to 4294967295 with the numpy generator");
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

template <class Enum, std::size_t N>
std::string_view word(const std::array<std::string_view, N>& words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

constexpr std::array<std::string_view, 5> distribution_words{"uniform", "normal", "zeros", "linear", "xavier_uniform"};

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Draw> parse_target(std::string_view target, Distribution distribution) {
  TensorDraw draw{.target = TensorId::X, .head = std::nullopt, .distribution = distribution};
  if (target == "W_qkv") {
    draw.target = PackedQkv{};
    return draw;
  }
  if (target.ends_with(']')) {
    const auto open = target.find('[');
    if (open == std::string_view::npos) return std::nullopt;
    draw.head = parse_integer(target.substr(open + 1, target.size() - open - 2));
    if (!draw.head) return std::nullopt;
    target = target.substr(0, open);
  }
  const auto id = tensor_named(target);
  if (!id || !info(*id).is_drawn()) return std::nullopt;
  draw.target = *id;
  return draw;
}

}  // namespace

std::string_view to_string(Source value) { return word(std::array<std::string_view, 2>{"self", "cross"}, value); }
std::string_view to_string(TokenAxis value) { return word(std::array<std::string_view, 2>{"rows", "columns"}, value); }
std::string_view to_string(WeightLayout value) {
  return word(std::array<std::string_view, 2>{"in_out", "out_in"}, value);
}
std::string_view to_string(Precision value) {
  return word(std::array<std::string_view, 2>{"float32", "float64"}, value);
}
std::string_view to_string(MaskKind value) {
  return word(std::array<std::string_view, 4>{"causal", "padding", "window", "custom"}, value);
}
std::string_view to_string(GeneratorKind value) {
  return word(std::array<std::string_view, 2>{"numpy", "torch"}, value);
}
std::string_view to_string(Distribution value) { return word(distribution_words, value); }

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
    const auto seed = parse_integer(second);
    if (!seed) return std::nullopt;
    return SeedDraw{*seed};
  }
  const auto found = std::find(distribution_words.begin(), distribution_words.end(), second);
  if (found == distribution_words.end()) return std::nullopt;
  return parse_target(first, static_cast<Distribution>(found - distribution_words.begin()));
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
  // nn.Linear draws its weight and then its bias.
  return *target == id || (draw.distribution == Distribution::linear && info(id).weight == *target);
}

bool Setup::draws(TensorId id) const {
  return std::any_of(random.draws.begin(), random.draws.end(), [&](const Draw& draw) {
    const auto* tensor = std::get_if<TensorDraw>(&draw);
    return tensor != nullptr && draws_into(*tensor, id);
  });
}

Index Setup::kv_head_of(Index head) const { return head / (sizes.heads / kv_heads()); }

std::string Setup::query_label(Index position) const {
  const auto at = static_cast<std::size_t>(position);
  return at < tokens.size() ? tokens[at] : std::to_string(position);
}

std::string Setup::key_label(Index position) const {
  if (!is_cross()) return query_label(position);
  const auto at = static_cast<std::size_t>(position);
  return at < key_tokens.size() ? key_tokens[at] : std::to_string(position);
}

std::vector<Problem> problems(const Setup& setup, const std::string& source) {
  Findings findings(source);
  check_sizes(findings, setup);
  check_labels(findings, "tokens", setup.tokens.size(), setup.sizes.query_length, "sizes.query_length");
  if (setup.is_cross()) {
    check_labels(findings, "key_tokens", setup.key_tokens.size(), setup.key_length(), "sizes.key_length");
  } else {
    findings.require(
        setup.key_tokens.empty(), "key_tokens", [&] { return fmt::format("{} labels", setup.key_tokens.size()); },
        "none: in self-attention the keys are the tokens");
  }
  check_attention(findings, setup.attention);
  check_mask(findings, setup);
  check_draws(findings, setup);
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
  if (setup.is_cross()) fit(setup.key_tokens, setup.key_length());
  else setup.key_tokens.clear();
  return setup;
}

}  // namespace headlight
