#include "core/formats/layers/model_config.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

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

/// The parts of a model that have a table of their own, and the words in the paths of their layers.
struct PartTable {
  const char* table;
  std::array<std::string_view, 3> words;
};
constexpr std::array part_tables{
    PartTable{"vision_config", {"vision", "visual", "image"}},
    PartTable{"audio_config", {"audio", "speech", "audio"}},
    PartTable{"decoder", {"decoder", "decoder", "decoder"}},  // before "encoder": decoder.layers.0.encoder_attn
    PartTable{"encoder", {"encoder", "encoder", "encoder"}},
};
/// Of what belongs to no other part, and MPT's table of attention.
constexpr std::array text_tables{"text_config", "language_config", "llm_config", "attn_config"};

/// Keys whose values are judged when the file is read, and what they must be.
constexpr std::array size_keys{"num_attention_heads",
                               "decoder_attention_heads",
                               "encoder_attention_heads",
                               "n_head",
                               "n_heads",
                               "num_heads",
                               "head_dim",
                               "d_kv",
                               "rotary_dim",
                               "sliding_window",
                               "kv_channels"};
constexpr std::array number_keys{
    "rope_theta",           "rotary_emb_base",       "partial_rotary_factor",  "rotary_pct",
    "rms_norm_eps",         "query_pre_attn_scalar", "attn_logit_softcapping", "rope_local_base_freq",
    "attention_multiplier", "global_rope_theta",     "local_rope_theta"};
constexpr std::array rotary_tables{"rope_parameters", "rope_scaling"};
/// Those of MPT, of which its code reads one: the first, unless `rope_impl` is "hf".
constexpr std::array mpt_rotary_tables{"rope_dail_config", "rope_hf_config"};

constexpr std::string_view rescaled_angles = "rotary positions with rescaled angles";

/// Models do not agree on the key.
constexpr std::array heads_keys{"num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads"};
constexpr std::array base_keys{"rope_theta", "rotary_emb_base"};
constexpr std::array share_keys{"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction"};

const Json* table_of(const Json& document, const char* name) {
  const auto found = document.find(name);
  return found != document.end() && found->is_object() ? &*found : nullptr;
}

bool is_size_value(const Json& value) { return value.is_number_integer() && is_size(value.get<Index>()); }
bool is_number_value(const Json& value) { return value.is_number() && value.get<double>() > 0; }

void judge(const Json& table, const std::string& name, std::span<const char* const> keys, bool (*is_right)(const Json&),
           const char* allowed, const std::string& source) {
  for (const char* key : keys) {
    const auto found = table.find(key);
    if (found == table.end() || found->is_null() || is_right(*found)) continue;
    const std::string where = name.empty() ? key : fmt::format("{}.{}", name, key);
    throw InputError({source, where, std::string(first_bytes(found->dump(-1, ' ', true), 60)), allowed});
  }
}

void judge_all(const Json& table, const std::string& name, const std::string& source) {
  judge(table, name, size_keys, is_size_value, "a whole number of at least 1", source);
  judge(table, name, number_keys, is_number_value, "a number above 0", source);
  for (const char* inner : rotary_tables)
    if (const Json* const rotary = table_of(table, inner))
      judge(*rotary, name.empty() ? inner : fmt::format("{}.{}", name, inner), number_keys, is_number_value,
            "a number above 0", source);
}

/// "GPTNeoXForCausalLM" -> "gptneox", "gpt_neox" -> "gptneox".
std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ':')
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

std::string_view type_in_class(std::string_view name) {
  std::size_t end = name.size();
  for (const std::string_view ending : {"For", "Model", "LMHead", "DoubleHeads"})
    end = std::min(end, name.find(ending, 1));
  return name.substr(0, end);
}

/// What these do to texts of every length that a setup cannot say. Dynamic ones wait for long texts, and in those of
/// images ("mrope") the positions of a text are as ever.
std::string_view besides_turning(const Json& table) {
  constexpr std::array<std::string_view, 5> plain_types{"default", "dynamic", "mrope", "original", "no_scaling"};
  for (const char* key : {"rope_type", "type"}) {
    const auto found = table.find(key);
    if (found == table.end() || !found->is_string()) continue;
    const auto& type = found->get_ref<const std::string&>();
    if (std::ranges::find(plain_types, type) != plain_types.end()) return {};
    return type == "xpos" ? "rotary positions that fade with the distance (xPos)" : rescaled_angles;
  }
  return {};
}

std::optional<double> first_number(const Json& table, std::span<const char* const> keys) {
  for (const char* key : keys)
    if (const auto found = table.find(key); found != table.end() && is_number_value(*found))
      return found->get<double>();
  return std::nullopt;
}

}  // namespace

ConfigPart::ConfigPart(std::shared_ptr<const Json> document, std::string_view path)
    : document_(std::move(document)), path_(path) {
  if (!document_) return;
  for (const PartTable& part : part_tables) {
    if (std::ranges::none_of(part.words, [&](auto word) { return path.find(word) != std::string_view::npos; }))
      continue;
    if (part.table == std::string_view("vision_config")) is_of_images_ = true;
    if (const Json* const table = table_of(*document_, part.table)) {
      tables_.emplace_back(part.table, table);
      // A text beside images has a document to itself, but not the images.
      if (part.table == std::string_view("decoder") || part.table == std::string_view("encoder"))
        tables_.emplace_back("", document_.get());
      return;
    }
  }
  for (const char* name : text_tables)
    if (const Json* const table = table_of(*document_, name)) tables_.emplace_back(name, table);
  tables_.emplace_back("", document_.get());
}

const Json* ConfigPart::find(const char* key) const {
  for (const auto& [name, table] : tables_)
    if (const auto found = table->find(key); found != table->end() && !found->is_null()) return &*found;
  return nullptr;
}

std::string ConfigPart::type_in_words() const {
  if (!document_) return {};
  for (const auto& [name, table] : tables_)
    if (const auto found = table->find("model_type"); found != table->end() && found->is_string())
      return found->get<std::string>();
  if (const auto found = document_->find("model_type"); found != document_->end() && found->is_string())
    return found->get<std::string>();
  const auto classes = document_->find("architectures");
  if (classes != document_->end() && classes->is_array() && !classes->empty() && classes->front().is_string())
    return classes->front().get<std::string>();
  return {};
}

std::string ConfigPart::type() const {
  if (!document_) return {};
  const auto own = tables_.front().second->find("model_type");
  const bool is_own = own != tables_.front().second->end() && own->is_string();
  const std::string named = plain(type_in_class(type_in_words()));
  return is_of_images_ && !named.empty() && !(is_own && !tables_.front().first.empty()) ? named + ":vision" : named;
}

bool ConfigPart::says(const char* key) const {
  return std::ranges::any_of(tables_, [&](const auto& table) { return table.second->contains(key); });
}

bool ConfigPart::has(const char* key) const { return find(key) != nullptr; }

std::optional<double> ConfigPart::number(const char* key) const {
  const Json* const value = find(key);
  return value != nullptr && is_number_value(*value) ? std::optional(value->get<double>()) : std::nullopt;
}

std::optional<Index> ConfigPart::size(const char* key) const {
  const Json* const value = find(key);
  return value != nullptr && is_size_value(*value) ? std::optional(value->get<Index>()) : std::nullopt;
}

std::optional<Index> ConfigPart::count(const char* key) const {
  const Json* const value = find(key);
  if (value != nullptr && value->is_number_integer() && *value == 0) return 0;
  return size(key);
}

std::optional<bool> ConfigPart::flag(const char* key) const {
  const Json* const value = find(key);
  return value != nullptr && value->is_boolean() ? std::optional(value->get<bool>()) : std::nullopt;
}

std::string ConfigPart::word(const char* key) const {
  const Json* const value = find(key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string{};
}

Index ConfigPart::length(const char* list) const {
  const Json* const value = find(list);
  return value != nullptr && value->is_array() ? static_cast<Index>(value->size()) : 0;
}

std::optional<double> ConfigPart::entry(const char* list, Index index) const {
  if (index < 0 || index >= length(list)) return std::nullopt;
  const Json& value = (*find(list))[static_cast<std::size_t>(index)];
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string ConfigPart::word_in(const char* list, Index index) const {
  if (index < 0 || index >= length(list)) return {};
  const Json& value = (*find(list))[static_cast<std::size_t>(index)];
  return value.is_string() ? value.get<std::string>() : std::string{};
}

std::optional<ConfigPart::Heads> ConfigPart::heads() const {
  const bool decodes = path_.find("decoder") != std::string::npos;
  const bool encodes = !decodes && path_.find("encoder") != std::string::npos;
  for (const auto& [name, table] : tables_) {
    const auto told = [&, &of = name, &in = *table](const char* key) -> std::optional<Heads> {
      const auto found = in.find(key);
      if (found == in.end() || !is_size_value(*found)) return std::nullopt;
      return Heads{of.empty() ? key : fmt::format("{}.{}", of, key), found->get<Index>()};
    };
    if (decodes)
      if (const auto heads = told("decoder_attention_heads")) return heads;
    if (encodes)
      if (const auto heads = told("encoder_attention_heads")) return heads;
    for (const char* key : heads_keys)
      if (const auto heads = told(key)) return heads;
  }
  return std::nullopt;
}

ConfigPart::Rotary ConfigPart::rotary(const char* layers) const {
  Rotary rotary;
  const auto read = [&](const Json& table, bool is_of_angles) {
    if (!rotary.base) rotary.base = first_number(table, base_keys);
    if (!rotary.share) rotary.share = first_number(table, share_keys);
    if (is_of_angles && rotary.besides.empty()) rotary.besides = besides_turning(table);
  };
  const char* const of_mpt = mpt_rotary_tables[word("rope_impl") == "hf" ? 1 : 0];
  for (const auto& [name, table] : tables_) {
    read(*table, false);
    for (const char* inner : {rotary_tables[0], rotary_tables[1], of_mpt}) {
      const Json* const angles = table_of(*table, inner);
      if (angles == nullptr) continue;
      const Json* const own = table_of(*angles, layers);
      read(own != nullptr ? *own : *angles, true);
    }
  }
  if (flag("use_scaled_rope").value_or(false)) rotary.besides = rescaled_angles;
  rotary.ratio = number("rope_ratio").value_or(1);
  rotary.features = size("rotary_dim");
  return rotary;
}

ModelConfig::ModelConfig(std::string file, Json document)
    : source(std::move(file)), document_(std::make_shared<const Json>(std::move(document))) {}

std::string ModelConfig::quantized() const {
  const Json* const table = document_ ? table_of(*document_, "quantization_config") : nullptr;
  if (table == nullptr) return {};
  const auto method = table->find("quant_method");
  return method != table->end() && method->is_string() ? method->get<std::string>() : "an unknown method";
}

ModelConfig parse_model_config(std::string_view text, const std::string& source) {
  Json document = parse_json_object(text, source, "the config.json of a model, or none");
  judge_all(document, "", source);
  for (const auto& [key, value] : document.items())
    if (value.is_object()) judge_all(value, key, source);
  return {source, std::move(document)};
}

ModelConfig read_model_config(const fs::path& folder) {
  for (const char* name : {"config.json", "params.json"}) {
    const fs::path path = folder / name;
    std::error_code error;
    if (!fs::exists(path, error) && !error) continue;  // what is there and can't be read is no reason to go on
    return parse_model_config(read_text(path), path.string());
  }
  return {};
}

}  // namespace headlight
