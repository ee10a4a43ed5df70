#include "core/formats/layers/model_config.hpp"

#include <array>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/files.hpp"
#include "core/formats/json.hpp"
#include "core/model/problem.hpp"
#include "core/model/setup.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Models do not agree on the key. Keys for a part of the model are first.
struct HeadsKey {
  const char* table;  ///< the table that holds it; empty for the document itself
  const char* key;
  std::string_view where;  ///< see ModelConfig::Heads
};

constexpr std::array heads_keys{
    HeadsKey{"vision_config", "num_attention_heads", "vision"},
    HeadsKey{"", "decoder_attention_heads", "decoder"},  // before "encoder": model.decoder.layers.0.encoder_attn
    HeadsKey{"", "encoder_attention_heads", "encoder"},
    HeadsKey{"", "num_attention_heads", ""},
    HeadsKey{"", "n_head", ""},
    HeadsKey{"", "n_heads", ""},
    HeadsKey{"", "num_heads", ""},
    HeadsKey{"text_config", "num_attention_heads", ""},
};

/// Where a model of text is described: by the document, or by a table of it beside other parts.
constexpr std::array text_tables{"", "text_config"};

/// The tables in these that may tell how positions turn queries and keys. An earlier one counts.
constexpr std::array rotary_tables{"", "rope_parameters", "rope_scaling"};

constexpr std::array base_keys{"rope_theta", "rotary_emb_base"};
constexpr std::array share_keys{"partial_rotary_factor", "rotary_pct"};

const Json* table_of(const Json& document, const char* name) {
  if (*name == '\0') return &document;
  const auto found = document.find(name);
  return found != document.end() && found->is_object() ? &*found : nullptr;
}

std::string key_in_words(const HeadsKey& key) {
  return fmt::format("{}{}{}", key.table, *key.table ? "." : "", key.key);
}

[[noreturn]] void refuse(const std::string& source, const std::string& key, const Json& value, const char* allowed) {
  throw InputError({source, key, std::string(first_bytes(value.dump(-1, ' ', true), 60)), allowed});
}

/// The number of one of these keys; nothing where the table has none of them.
std::optional<double> number_of(const Json& table, std::span<const char* const> keys, const std::string& source) {
  for (const char* key : keys) {
    const auto found = table.find(key);
    if (found == table.end() || found->is_null()) continue;
    if (!found->is_number() || !(found->get<double>() > 0)) refuse(source, key, *found, "a number above 0");
    return found->get<double>();
  }
  return std::nullopt;
}

bool rescales(const Json& table) {
  for (const char* key : {"rope_type", "type"}) {
    const auto found = table.find(key);
    if (found != table.end() && found->is_string()) return *found != "default";
  }
  return false;
}

/// Takes what the table tells and no earlier one did.
void read_rotary(const Json& table, bool is_of_angles, ModelConfig::Rotary& rotary, const std::string& source) {
  if (!rotary.base) rotary.base = number_of(table, base_keys, source);
  if (!rotary.share) rotary.share = number_of(table, share_keys, source);
  rotary.rescaled |= is_of_angles && rescales(table);
}

/// Of the layers of a kind, "full_attention" or "sliding_attention", if the angles differ; else of all.
ModelConfig::Rotary rotary_of(const Json& document, const char* layers, const std::string& source) {
  ModelConfig::Rotary rotary;
  for (const char* table_name : text_tables) {
    const Json* const text = table_of(document, table_name);
    if (text == nullptr) continue;
    for (const char* name : rotary_tables) {
      const Json* const table = table_of(*text, name);
      if (table == nullptr) continue;
      const Json* const own = *name == '\0' ? nullptr : table_of(*table, layers);
      read_rotary(own != nullptr ? *own : *table, *name != '\0', rotary, source);
    }
  }
  const auto features = document.find("rotary_dim");
  if (features == document.end() || features->is_null()) return rotary;
  if (!features->is_number_integer() || !is_size(features->get<Index>()))
    refuse(source, "rotary_dim", *features, "a whole number of at least 1");
  rotary.features = features->get<Index>();
  return rotary;
}

/// The number of a key, of the document or of its text_config; nothing where neither has it.
std::optional<double> text_number(const Json& document, const char* key, const std::string& source) {
  for (const char* name : text_tables)
    if (const Json* const text = table_of(document, name))
      if (const auto number = number_of(*text, std::array{key}, source)) return number;
  return std::nullopt;
}

std::string text_word(const Json& document, const char* key) {
  std::string word;
  for (const char* name : text_tables) {
    const Json* const text = table_of(document, name);
    if (text != nullptr && text->contains(key) && (*text)[key].is_string()) word = (*text)[key].get<std::string>();
  }
  return word;
}

/// Of layers with a sliding window, if they have angles of their own.
std::optional<ModelConfig::Rotary> sliding_rotary_of(const Json& document, const std::string& source) {
  if (const auto base = text_number(document, "rope_local_base_freq", source)) {
    ModelConfig::Rotary rotary;
    rotary.base = base;
    return rotary;
  }
  ModelConfig::Rotary rotary = rotary_of(document, "sliding_attention", source);
  const ModelConfig::Rotary full = rotary_of(document, "full_attention", source);
  const bool same = rotary.base == full.base && rotary.share == full.share && rotary.rescaled == full.rescaled;
  return same ? std::nullopt : std::optional(rotary);
}

/// The whole number of a key, of the document or of its text_config; nothing where neither has it.
std::optional<Index> size_of(const Json& document, const char* key, const std::string& source) {
  for (const char* name : text_tables) {
    const Json* const table = table_of(document, name);
    if (table == nullptr || !table->contains(key) || (*table)[key].is_null()) continue;
    const Json& value = (*table)[key];
    if (!value.is_number_integer() || !is_size(value.get<Index>()))
      refuse(source, key, value, "a whole number of at least 1");
    return value.get<Index>();
  }
  return std::nullopt;
}

std::optional<ModelConfig::SlidingWindow> sliding_window_of(const Json& document, const std::string& source) {
  if (document.value("use_sliding_window", Json(true)) == false) return std::nullopt;
  const auto keys = size_of(document, "sliding_window", source);
  if (!keys) return std::nullopt;
  ModelConfig::SlidingWindow window{.keys = *keys};
  for (const char* name : text_tables) {
    const Json* const text = table_of(document, name);
    if (text == nullptr || !text->contains("layer_types") || !(*text)["layer_types"].is_array()) continue;
    window.has.clear();
    for (const Json& type : (*text)["layer_types"]) window.has.push_back(type == "sliding_attention");
  }
  if (!window.has.empty()) return window;
  if (document.contains("use_sliding_window"))
    window.first_layer = size_of(document, "max_window_layers", source).value_or(0);
  const std::string type = text_word(document, "model_type");
  const Index usual = type == "gemma2" ? 2 : type.starts_with("gemma3") ? 6 : 0;
  window.period = size_of(document, "sliding_window_pattern", source).value_or(usual);
  return window;
}

}  // namespace

bool ModelConfig::SlidingWindow::is_of(Index layer) const {
  if (has.empty()) return layer >= first_layer && (period == 0 || (layer + 1) % period != 0);
  return layer < static_cast<Index>(has.size()) && has[static_cast<std::size_t>(layer)];
}

const ModelConfig::Heads* ModelConfig::heads_of(std::string_view path) const {
  for (const Heads& each : heads)
    if (path.find(each.where) != std::string_view::npos) return &each;
  return nullptr;
}

ModelConfig parse_model_config(std::string_view text, const std::string& source) {
  const Json document = parse_json_object(text, source, "the config.json of a model, or none");
  ModelConfig config{.source = source,
                     .model_type = text_word(document, "model_type"),
                     .rotary = rotary_of(document, "full_attention", source),
                     .sliding_rotary = sliding_rotary_of(document, source),
                     .head_dim = size_of(document, "head_dim", source),
                     .sliding_window = sliding_window_of(document, source),
                     .epsilon = text_number(document, "rms_norm_eps", source),
                     .query_scalar = text_number(document, "query_pre_attn_scalar", source),
                     .soft_cap = text_number(document, "attn_logit_softcapping", source)};
  if (!config.head_dim) config.head_dim = size_of(document, "d_kv", source);
  for (const HeadsKey& key : heads_keys) {
    const Json* const table = table_of(document, key.table);
    if (table == nullptr || !table->contains(key.key)) continue;
    const Json& value = (*table)[key.key];
    if (value.is_null()) continue;
    if (!value.is_number_integer() || !is_size(value.get<Index>()))
      refuse(source, key_in_words(key), value, "a whole number of at least 1");
    config.heads.push_back({std::string(key.where), key_in_words(key), value.get<Index>()});
  }
  const auto decoder = document.find("is_decoder");
  config.is_decoder = decoder != document.end() && decoder->is_boolean() && decoder->get<bool>();
  return config;
}

ModelConfig read_model_config(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  std::error_code error;
  if (!fs::exists(path, error) && !error) return {};  // what is there and can't be read is no reason to go on
  return parse_model_config(read_text(path), path.string());
}

}  // namespace headlight
