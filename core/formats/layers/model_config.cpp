#include "core/formats/layers/model_config.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/model/setup.hpp"
#include "core/text/utf8.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Models do not agree on the key. Those of a part of the model come first.
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

const Json* table_of(const Json& document, const char* name) {
  if (*name == '\0') return &document;
  const auto found = document.find(name);
  return found != document.end() && found->is_object() ? &*found : nullptr;
}

std::string key_in_words(const HeadsKey& key) {
  return fmt::format("{}{}{}", key.table, *key.table ? "." : "", key.key);
}

}  // namespace

const ModelConfig::Heads* ModelConfig::heads_of(std::string_view path) const {
  for (const Heads& each : heads)
    if (path.find(each.where) != std::string_view::npos) return &each;
  return nullptr;
}

ModelConfig parse_model_config(std::string_view text, const std::string& source) {
  require_text(text, source);
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) throw InputError({source, "", "no JSON object", "the config.json of a model, or none"});
  ModelConfig config{.source = source, .heads = {}, .is_decoder = false};
  for (const HeadsKey& key : heads_keys) {
    const Json* const table = table_of(document, key.table);
    if (table == nullptr || !table->contains(key.key)) continue;
    const Json& value = (*table)[key.key];
    if (value.is_null()) continue;
    if (!value.is_number_integer() || !is_size(value.get<Index>())) {
      throw InputError({source, key_in_words(key), std::string(first_bytes(value.dump(-1, ' ', true), 60)),
                        "a whole number of at least 1"});
    }
    config.heads.push_back({std::string(key.where), key_in_words(key), value.get<Index>()});
  }
  const auto decoder = document.find("is_decoder");
  config.is_decoder = decoder != document.end() && decoder->is_boolean() && decoder->get<bool>();
  return config;
}

ModelConfig read_model_config(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  return parse_model_config(read_text(path), path.string());
}

}  // namespace headlight
