#include "core/formats/setup/setup_toml.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace headlight {
namespace {

constexpr std::string_view wanted_scale = "\"inverse_sqrt_d_head\", \"none\" or a number";
constexpr std::string_view wanted_pairs = "a list of [query, key] pairs";
constexpr std::string_view wanted_draws = "a list of texts, such as [\"seed 0\", \"X uniform\"]";
constexpr std::string_view wanted_draw =
    "\"seed N\", or X, Y, P, W_q, W_k, W_v, W_o, b_q, b_k, b_v, b_o or one head's block such as W_q[0], then uniform, "
    "normal, zeros, linear or xavier_uniform; or \"W_qkv xavier_uniform\"";

// --- From TOML -------------------------------------------------------------------------------------------------------

std::optional<std::pair<Index, Index>> query_and_key(const TomlValue& value) {
  const auto* pair = value.as<TomlList>();
  if (pair == nullptr || pair->size() != 2) return std::nullopt;
  const auto* query = (*pair)[0].as<std::int64_t>();
  const auto* key = (*pair)[1].as<std::int64_t>();
  if (query == nullptr || key == nullptr) return std::nullopt;
  return std::pair{*query, *key};
}

/// Reads the value of one key into a setup, whatever type the key has.
class KeyReader {
 public:
  KeyReader(TomlReader& reader, std::string_view key, Setup& setup, const ValueFiles& files)
      : reader_(reader), key_(key), setup_(setup), files_(files) {}

  template <class T>
  void operator()(const Field<T>& field) const {
    reader_.read(key_, field.of(setup_));
  }
  void operator()(const OptionalField& field) const { reader_.read(key_, field.field.of(setup_)); }
  void operator()(const ChoiceField& choice) const {
    if (const auto place = reader_.read_word(key_, choice.words)) choice.put(setup_, *place);
  }
  void operator()(const Field<std::vector<MaskKind>>& kinds) const {
    for (const std::size_t place : reader_.read_words(key_, setup_words<MaskKind>))
      kinds.of(setup_).push_back(static_cast<MaskKind>(place));
  }

  void operator()(const Field<Scale>& scale) const {
    const TomlValue* found = reader_.value(key_);
    if (found == nullptr) return;
    const auto* word = found->as<std::string>();
    if (word != nullptr && *word == "inverse_sqrt_d_head") scale.of(setup_) = InverseSqrtDHead{};
    else if (word != nullptr && *word == "none") scale.of(setup_) = NoScale{};
    else if (const auto* number = found->as<double>()) scale.of(setup_) = *number;
    else if (const auto* whole = found->as<std::int64_t>()) scale.of(setup_) = static_cast<double>(*whole);
    else reader_.add(key_, describe(*found), std::string(wanted_scale));
  }

  void operator()(const Field<BlockedPairs>& blocked) const {
    const TomlList& list = reader_.list(key_, wanted_pairs);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto pair = query_and_key(list[i]);
      if (!pair) reader_.add_entry(key_, i, describe(list[i]), "a pair of whole numbers, [query, key]");
      blocked.of(setup_).push_back(pair.value_or(std::pair<Index, Index>{0, 0}));
    }
  }

  /// A draw that cannot be read is replaced by a seed, so that the draws after it keep their positions and are not
  /// reported for coming before any seed.
  void operator()(const Field<std::vector<Draw>>& draws) const {
    const TomlList& list = reader_.list(key_, wanted_draws);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto* text = list[i].as<std::string>();
      const auto draw = text == nullptr ? std::nullopt : parse_draw(*text);
      if (!draw) reader_.add_entry(key_, i, describe(list[i]), std::string(wanted_draw));
      draws.of(setup_).push_back(draw.value_or(SeedDraw{}));
    }
  }

  void operator()(const Field<Values>& values) const {
    const TomlValue* found = reader_.value(key_);
    if (found == nullptr) return;
    if (found->as<TomlTable>() == nullptr) return reader_.add(key_, describe(*found), std::string(wanted_values));
    TomlReader table = reader_.table(key_);
    values.of(setup_) = values_from(table, files_, setup_);
  }

 private:
  TomlReader& reader_;
  std::string_view key_;
  Setup& setup_;
  const ValueFiles& files_;
};

void read_version(TomlReader& reader, Version version) {
  const TomlValue* found = reader.value("version");
  if (found == nullptr) {
    if (version == Version::required) reader.add("version", "none", "version = 1");
    return;
  }
  const auto* number = found->as<std::int64_t>();
  if (number == nullptr || *number != 1) reader.add("version", describe(*found), "1");
}

/// The keys of one section, from `first` on; gives the first key of the next.
const SetupKey* read_section(TomlReader& reader, const SetupKey* first, const SetupKey* last, Setup& setup,
                             const ValueFiles& files) {
  const SetupKey* key = first;
  for (; key != last && key->section() == first->section(); ++key)
    std::visit(KeyReader(reader, key->last_name(), setup, files), key->value);
  return key;
}

void read_keys(TomlReader& reader, Setup& setup, const ValueFiles& files) {
  const std::span<const SetupKey> keys = setup_keys();
  const SetupKey* const last = keys.data() + keys.size();
  for (const SetupKey* key = keys.data(); key != last;) {
    if (key->section().empty()) {
      key = read_section(reader, key, last, setup, files);
      continue;
    }
    TomlReader section = reader.table(key->section());
    key = read_section(section, key, last, setup, files);
    section.finish();
  }
}

/// Whether a problem with a value may only be a consequence of the key `unread`, which could not be read.
bool echoes(std::string_view problem, std::string_view unread) {
  if (within(problem, unread)) return true;
  const std::span<const SetupKey> keys = setup_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const SetupKey& key) {
    return within(problem, key.name) && std::any_of(key.beside.begin(), key.beside.end(), [&](std::string_view other) {
             return !other.empty() && within(other, unread);
           });
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

// --- To TOML ---------------------------------------------------------------------------------------------------------

TomlValue toml_value(const std::string& value) { return {value, 0}; }
TomlValue toml_value(Index value) { return {value, 0}; }
TomlValue toml_value(double value) { return {value, 0}; }
TomlValue toml_value(MaskKind value) { return {std::string(to_string(value)), 0}; }
TomlValue toml_value(const Draw& value) { return {to_string(value), 0}; }
TomlValue toml_value(const std::pair<Index, Index>& pair) {
  return {TomlList{toml_value(pair.first), toml_value(pair.second)}, 0};
}

TomlValue toml_value(const Scale& scale) {
  if (std::holds_alternative<InverseSqrtDHead>(scale)) return toml_value(std::string("inverse_sqrt_d_head"));
  if (std::holds_alternative<NoScale>(scale)) return toml_value(std::string("none"));
  return toml_value(std::get<double>(scale));
}

TomlValue toml_value(const Values& values) { return {toml_of(values, {}), 0}; }

template <class Value>
TomlValue toml_value(const std::vector<Value>& values) {
  TomlList list;
  for (const Value& value : values) list.push_back(toml_value(value));
  return {std::move(list), 0};
}

// --- In words --------------------------------------------------------------------------------------------------------

struct Wanted {
  std::string operator()(const Field<std::string>&) const { return std::string(wanted_text); }
  std::string operator()(const Field<Index>&) const { return std::string(wanted_whole); }
  std::string operator()(const OptionalField&) const { return std::string(wanted_whole); }
  std::string operator()(const Field<double>&) const { return std::string(wanted_number); }
  std::string operator()(const ChoiceField& choice) const { return one_of(choice.words); }
  std::string operator()(const Field<Scale>&) const { return std::string(wanted_scale); }
  std::string operator()(const Field<std::vector<std::string>>&) const { return std::string(wanted_texts); }
  std::string operator()(const Field<std::vector<Index>>&) const { return std::string(wanted_wholes); }
  std::string operator()(const Field<std::vector<MaskKind>>&) const { return list_of_any(setup_words<MaskKind>); }
  std::string operator()(const Field<BlockedPairs>&) const { return std::string(wanted_pairs); }
  std::string operator()(const Field<std::vector<Draw>>&) const { return std::string(wanted_draws); }
  std::string operator()(const Field<Values>&) const { return std::string(wanted_values); }
};

}  // namespace

Setup setup_from(TomlReader& reader, Version version, const ValueFiles& files) {
  const std::size_t already_found = reader.problems().size();
  Setup setup;
  read_version(reader, version);
  read_keys(reader, setup, files);
  reader.finish();
  check_values(reader, setup, already_found);
  return setup;
}

TomlValue toml_of(const SetupKey& key, const Setup& setup) {
  return std::visit(
      [&]<class Value>(const Value& at) {
        if constexpr (std::is_same_v<Value, ChoiceField>) return toml_value(std::string(at.words[at.in(setup)]));
        else if constexpr (std::is_same_v<Value, OptionalField>)
          return toml_value(at.field.in(setup).value_or(at.meaning(setup)));
        else return toml_value(at.in(setup));
      },
      key.value);
}

TomlTable toml_of(const Setup& setup) {
  TomlTable document;
  document["version"] = toml_value(Index{1});
  for (const SetupKey& key : setup_keys()) {
    if (key.written != nullptr && !key.written(setup)) continue;
    TomlTable* place = &document;
    if (!key.section().empty()) {
      TomlValue& section = document[key.section()];
      if (section.as<TomlTable>() == nullptr) section.content = TomlTable{};
      place = section.as<TomlTable>();
    }
    (*place)[key.last_name()] = toml_of(key, setup);
  }
  return document;
}

std::string wanted(const SetupKey& key) { return std::visit(Wanted{}, key.value); }

}  // namespace headlight
