#include "core/formats/setup/setup_toml.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace headlight {
namespace {

void read_version(TomlReader& reader, Version version) {
  const TomlValue* found = reader.value("version");
  if (found == nullptr) {
    if (version == Version::required) reader.add("version", "none", "version = 1");
    return;
  }
  const auto* number = found->as<std::int64_t>();
  if (number == nullptr || *number != 1) reader.add("version", describe(*found), "1");
}

void read_sizes(TomlReader reader, Sizes& sizes) {
  reader.read("batch", sizes.batch);
  reader.read("query_length", sizes.query_length);
  reader.read("key_length", sizes.key_length);
  reader.read("d_model", sizes.d_model);
  reader.read("heads", sizes.heads);
  reader.read("kv_heads", sizes.kv_heads);
  reader.finish();
}

void read_scale(TomlReader& reader, Scale& scale) {
  const TomlValue* found = reader.value("scale");
  if (found == nullptr) return;
  const auto* word = found->as<std::string>();
  if (word != nullptr && *word == "inverse_sqrt_d_head") scale = InverseSqrtDHead{};
  else if (word != nullptr && *word == "none") scale = NoScale{};
  else if (const auto* number = found->as<double>()) scale = *number;
  else if (const auto* whole = found->as<std::int64_t>()) scale = static_cast<double>(*whole);
  else reader.add("scale", describe(*found), "\"inverse_sqrt_d_head\", \"none\" or a number");
}

void read_attention(TomlReader reader, Attention& attention) {
  reader.read_word("source", attention.source, Source::cross);
  reader.read_word("token_axis", attention.token_axis, TokenAxis::columns);
  reader.read_word("weight_layout", attention.weight_layout, WeightLayout::out_in);
  read_scale(reader, attention.scale);
  reader.read("temperature", attention.temperature);
  reader.read("dropout", attention.dropout);
  reader.read_word("precision", attention.precision, Precision::float64);
  reader.finish();
}

std::optional<std::pair<Index, Index>> query_and_key(const TomlValue& value) {
  const auto* pair = value.as<TomlList>();
  if (pair == nullptr || pair->size() != 2) return std::nullopt;
  const auto* query = (*pair)[0].as<std::int64_t>();
  const auto* key = (*pair)[1].as<std::int64_t>();
  if (query == nullptr || key == nullptr) return std::nullopt;
  return std::pair{*query, *key};
}

void read_blocked(TomlReader& reader, std::vector<std::pair<Index, Index>>& blocked) {
  const TomlList& list = reader.list("blocked", "a list of [query, key] pairs");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto pair = query_and_key(list[i]);
    if (!pair) reader.add_entry("blocked", i, describe(list[i]), "a pair of whole numbers, [query, key]");
    blocked.push_back(pair.value_or(std::pair<Index, Index>{0, 0}));
  }
}

void read_mask(TomlReader reader, MaskSettings& mask) {
  reader.read_words("kinds", mask.kinds, MaskKind::custom);
  reader.read("valid_lengths", mask.valid_lengths);
  reader.read("window", mask.window);
  read_blocked(reader, mask.blocked);
  reader.finish();
}

constexpr const char* allowed_draws =
    "\"seed N\", or X, Y, W_q, W_k, W_v, W_o, b_q, b_k, b_v, b_o or one head's block such as W_q[0], then uniform, "
    "normal, zeros, linear or xavier_uniform; or \"W_qkv xavier_uniform\"";

/// A seed stands in for a draw that cannot be read, so that the draws after it keep their places and are not blamed for
/// coming before any seed.
Draw draw_from(const TomlValue& value) {
  const auto* text = value.as<std::string>();
  return text == nullptr ? SeedDraw{} : parse_draw(*text).value_or(SeedDraw{});
}

void read_random(TomlReader reader, RandomSettings& random) {
  reader.read_word("generator", random.generator, GeneratorKind::torch);
  const TomlList& list = reader.list("draws", "a list of texts, such as [\"seed 0\", \"X uniform\"]");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* text = list[i].as<std::string>();
    if (text == nullptr || !parse_draw(*text)) reader.add_entry("draws", i, describe(list[i]), allowed_draws);
    random.draws.push_back(draw_from(list[i]));
  }
  reader.finish();
}

/// The value checks of `key` compare it with `other`.
struct Dependence {
  std::string_view key, other;
};
constexpr std::array dependences{
    Dependence{"tokens", "sizes.query_length"},
    Dependence{"key_tokens", "sizes.query_length"},
    Dependence{"key_tokens", "sizes.key_length"},
    Dependence{"key_tokens", "attention.source"},
    Dependence{"sizes.heads", "sizes.d_model"},
    Dependence{"sizes.kv_heads", "sizes.heads"},
    Dependence{"sizes.key_length", "sizes.query_length"},
    Dependence{"sizes.key_length", "attention.source"},
    Dependence{"mask.valid_lengths", "sizes.batch"},
    Dependence{"mask.valid_lengths", "sizes.query_length"},
    Dependence{"mask.valid_lengths", "sizes.key_length"},
    Dependence{"mask.valid_lengths", "attention.source"},
    Dependence{"mask.blocked", "sizes.query_length"},
    Dependence{"mask.blocked", "sizes.key_length"},
    Dependence{"mask.blocked", "attention.source"},
    Dependence{"random.draws", "random.generator"},
    Dependence{"random.draws", "sizes.heads"},
    Dependence{"random.draws", "sizes.kv_heads"},
};

/// Whether a value problem may only be the echo of a key that could not be read.
bool echoes(const std::string& key, const std::string& unread) {
  return within(key, unread) || std::any_of(dependences.begin(), dependences.end(), [&](const Dependence& dependence) {
           return within(key, dependence.key) && within(dependence.other, unread);
         });
}

void check_values(TomlReader& reader, const Setup& setup, std::size_t already_found) {
  const std::string prefix = reader.key_path("");
  std::vector<std::string> unread;
  for (std::size_t i = already_found; i < reader.problems().size(); ++i) {
    unread.push_back(reader.problems()[i].key.substr(prefix.size()));
  }
  for (const Problem& problem : problems(setup)) {
    const bool echo =
        std::any_of(unread.begin(), unread.end(), [&](const std::string& key) { return echoes(problem.key, key); });
    if (!echo) reader.add(problem.key, problem.found, problem.allowed);
  }
}

}  // namespace

Setup setup_from(TomlReader& reader, Version version) {
  const std::size_t already_found = reader.problems().size();
  Setup setup;
  read_version(reader, version);
  reader.read("title", setup.title);
  reader.read("tokens", setup.tokens);
  reader.read("key_tokens", setup.key_tokens);
  read_sizes(reader.table("sizes"), setup.sizes);
  read_attention(reader.table("attention"), setup.attention);
  read_mask(reader.table("mask"), setup.mask);
  read_random(reader.table("random"), setup.random);
  reader.finish();
  check_values(reader, setup, already_found);
  return setup;
}

}  // namespace headlight
