#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/values/text_reference.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr std::string_view wanted_pairs = "a list of [query, key] pairs";
constexpr std::string_view wanted_heads = "a list of heads, such as [0, 2] or [\"L1.2\"]";
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

void read_model_text(TomlReader& reader, std::string_view key, Setup& setup, const ValueFiles&) {
  const TomlValue* const found = reader.value(key);
  if (found == nullptr || found->as<TomlList>() == nullptr) return reader.read(key, setup.model.text);
  std::vector<std::string> items;
  reader.read(key, items);
  if (items.empty()) reader.add(key, "an empty list", "a text, or a list of texts");
  setup.model.text = fmt::format("{}", fmt::join(items, "\n"));
}

void read_task_file(TomlReader& reader, std::string_view key, Setup& setup, const ValueFiles& files) {
  const TomlValue* const found = reader.value(key);
  if (found == nullptr) return;
  if (const auto* const name = found->as<std::string>()) setup.task.file = text_from(reader, key, *name, files);
  else reader.add(key, describe(*found), std::string(wanted_text));
}

void read_task_text(TomlReader& reader, std::string_view key, Setup& setup, const ValueFiles&) {
  const TomlValue* const found = reader.value(key);
  if (found == nullptr) return;
  const auto* const single = found->as<std::string>();
  const bool is_list = found->as<TomlList>() != nullptr;
  if (single == nullptr && !is_list) return reader.add(key, describe(*found), std::string(wanted_text));
  std::vector<std::string> lines;
  if (is_list) reader.read(key, lines);
  else lines = {*single};
  const std::string all = fmt::format("{}", fmt::join(lines, "\n"));
  setup.task.text = all.empty() ? TaskText() : TaskText(all);
}

void read_kinds(TomlReader& reader, std::string_view key, Setup& setup, const ValueFiles&) {
  if (reader.has(key)) setup.mask.kinds.clear();
  for (const std::size_t kind : reader.read_words(key, setup_words<MaskKind>))
    setup.mask.kinds.push_back(static_cast<MaskKind>(kind));
}

void read_blocked(TomlReader& reader, std::string_view key, Setup& setup, const ValueFiles&) {
  if (reader.has(key)) setup.mask.blocked.clear();
  const TomlList& list = reader.list(key, wanted_pairs);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto pair = query_and_key(list[i]);
    if (!pair) reader.add_entry(key, i, describe(list[i]), "a pair of whole numbers, [query, key]");
    setup.mask.blocked.push_back(pair.value_or(std::pair<Index, Index>{0, 0}));
  }
}

template <auto first, auto heads>
void read_heads(TomlReader& reader, std::string_view key, Setup& setup, const ValueFiles&) {
  if (reader.value(key) == nullptr) return;
  const TomlList& list = reader.list(key, wanted_heads);
  (setup.*first.*heads).clear();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* const number = list[i].as<std::int64_t>();
    const auto* const text = list[i].as<std::string>();
    const auto head = number != nullptr ? std::optional(LayerHead(*number))
                      : text != nullptr ? parse_layer_head(*text)
                                        : std::nullopt;
    if (!head) reader.add_entry(key, i, describe(list[i]), "a whole number, or a head of a layer such as \"L1.2\"");
    (setup.*first.*heads).push_back(head.value_or(LayerHead()));
  }
}

/// A draw that cannot be read is replaced by a seed, so that the draws after it keep their positions and are not
/// reported for coming before any seed.
void read_draws(TomlReader& reader, std::string_view key, Setup& setup, const ValueFiles&) {
  std::vector<Draw>& draws = setup.random.draws;
  if (reader.has(key)) draws.clear();
  const TomlList& list = reader.list(key, wanted_draws);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* text = list[i].as<std::string>();
    const auto draw = text == nullptr ? std::nullopt : parse_draw(*text);
    if (!draw) reader.add_entry(key, i, describe(list[i]), std::string(wanted_draw));
    draws.push_back(draw.value_or(SeedDraw{}));
  }
}

void read_values(TomlReader& reader, std::string_view key, Setup& setup, const ValueFiles& files) {
  const TomlValue* found = reader.value(key);
  if (found == nullptr) return;
  if (found->as<TomlTable>() == nullptr) return reader.add(key, describe(*found), std::string(wanted_values));
  TomlReader table = reader.table(key);
  const Values given = values_from(table, files, setup);
  for (const GivenValue& value : given.entries()) setup.values.set(value);
}

/// A key with a value that no other owner has, or a form of its own.
struct OwnKey {
  std::string_view name;
  void (*read)(TomlReader&, std::string_view key, Setup&, const ValueFiles&);
  TomlValue (*write)(const Setup&);
  std::string_view wanted = {};  ///< empty: some of the key's words
};
using S = const Setup&;
const OwnKey own_keys[] = {
    {"model.text", read_model_text,
     [](S setup) {
       return setup.model.texts().size() > 1 ? toml_value(setup.model.texts()) : toml_value(setup.model.text);
     },
     wanted_text},
    {"task.file", read_task_file, [](S setup) { return toml_value(setup.task.file); }, wanted_text},
    {"task.text", read_task_text, [](S setup) { return toml_value(setup.task.text); }, wanted_text},
    {"mask.kinds", read_kinds, [](S setup) { return toml_value(setup.mask.kinds); }},
    {"mask.blocked", read_blocked, [](S setup) { return toml_value(setup.mask.blocked); }, wanted_pairs},
    {"attention.ablated_heads", read_heads<&Setup::attention, &Attention::ablated_heads>,
     [](S setup) { return toml_value(setup.attention.ablated_heads); }, wanted_heads},
    {"training.with_heads", read_heads<&Setup::training, &TrainingSettings::with_heads>,
     [](S setup) { return toml_value(setup.training.with_heads); }, wanted_heads},
    {"training.without_heads", read_heads<&Setup::training, &TrainingSettings::without_heads>,
     [](S setup) { return toml_value(setup.training.without_heads); }, wanted_heads},
    {"random.draws", read_draws, [](S setup) { return toml_value(setup.random.draws); }, wanted_draws},
    {"values", read_values, [](S setup) { return toml_value(values_beside_model(setup)); }, wanted_values}};

const OwnKey* own_key(const SetupKey& key) {
  const auto* const found = std::ranges::find(own_keys, key.name, &OwnKey::name);
  return found == std::end(own_keys) ? nullptr : found;
}

void read_key(TomlReader& reader, const SetupKey& key, Setup& setup, const ValueFiles& files) {
  if (const OwnKey* const own = own_key(key)) own->read(reader, key.last_name(), setup, files);
  else read_value(reader, key, setup);
}

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
  for (; key != last && key->section() == first->section(); ++key) read_key(reader, *key, setup, files);
  return key;
}

constexpr std::string_view model_section = "model";

/// A trained layer in place of weights that were drawn or given: it decides most keys, the others stay as they are.
Setup with_first_model(const Setup& base, const ModelSettings& model) {
  Setup setup = with_model({}, model);
  for (const SetupKey& key : setup_keys()) {
    const bool is_decided =
        key.section() == model_section || key.marked(by_model) || key.name == "values" || key.name == "random.draws";
    if (!is_decided && !key.is_default(base)) key.copy(base, setup);
  }
  return setup;
}

/// A trained layer gives the setup that the other keys then change, or must not contradict.
Setup with_model_of(TomlReader& reader, const Setup& base, const ValueFiles& files) {
  Setup setup = base;
  TomlReader section = reader.table(model_section);
  for (const SetupKey& key : setup_keys())
    if (key.section() == model_section) read_key(section, key, setup, files);
  section.finish();
  const ModelSettings model = setup.model;
  if (model == base.model) return base;
  setup = base.has_model() || model.name == ModelName::none ? with_model(base, model) : with_first_model(base, model);
  setup.model = model;  // also one that cannot be, so that its problems are found
  return setup;
}

void read_keys(TomlReader& reader, Setup& setup, const ValueFiles& files) {
  const std::span<const SetupKey> keys = setup_keys();
  const SetupKey* const last = keys.data() + keys.size();
  for (const SetupKey* key = keys.data(); key != last;) {
    if (key->section() == model_section) {
      while (key != last && key->section() == model_section) ++key;
      continue;
    }
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
    return within(problem, key.name) && std::any_of(key.reads.begin(), key.reads.end(), [&](std::string_view other) {
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

}  // namespace

Setup setup_from(TomlReader& reader, Version version, const ValueFiles& files) {
  const std::size_t already_found = reader.problems().size();
  read_version(reader, version);
  Setup setup = with_model_of(reader, {}, files);
  read_keys(reader, setup, files);
  reader.finish();
  check_values(reader, setup, already_found);
  return setup;
}

Setup changed_by(TomlReader& reader, const Setup& base, std::span<const std::string> anew, const ValueFiles& files) {
  const std::size_t already_found = reader.problems().size();
  read_version(reader, Version::optional);
  Setup setup = with_model_of(reader, base, files);
  const Setup unchanged = with_model({}, setup.model);
  for (const SetupKey& key : setup_keys())
    if (std::ranges::any_of(anew, [&](const std::string& one) { return within(key.name, one); }))
      key.copy(unchanged, setup);
  read_keys(reader, setup, files);
  const Setup fitted = with_fitting_labels(setup);
  if (!reader.has("tokens")) setup.tokens = fitted.tokens;
  if (!reader.has("key_tokens")) setup.key_tokens = fitted.key_tokens;
  if (!reader.has("features")) setup.features = fitted.features;
  if (!reader.has("head_names")) setup.head_names = fitted.head_names;
  reader.finish();
  check_values(reader, setup, already_found);
  return setup;
}

TomlValue toml_value(MaskKind kind) { return toml_value(std::string(to_string(kind))); }
TomlValue toml_value(const LayerHead& head) {
  return head.layer == 0 ? toml_value(head.head) : toml_value(to_string(head));
}
TomlValue toml_value(const Draw& draw) { return toml_value(to_string(draw)); }
TomlValue toml_value(const Values& values) { return {toml_of(values, {}), 0}; }
TomlValue toml_value(const TaskText& text) { return toml_value(text, {}); }
TomlValue toml_value(const TaskText& text, const std::filesystem::path& folder) {
  if (!text.path().empty()) return toml_value(to_reference(text, folder));
  if (text.empty()) return toml_value(std::string());
  TomlList lines;
  for (const std::string_view line : split_at(text.text(), '\n')) lines.push_back(toml_value(std::string(line)));
  return {std::move(lines), 0};
}

TomlValue toml_of(const SetupKey& key, const Setup& setup) {
  if (const OwnKey* const own = own_key(key)) return own->write(setup);
  return toml_of<Setup>(key, setup);
}

void put(TomlTable& document, const SetupKey& key, const Setup& setup) {
  TomlTable* table = &document;
  if (!key.section().empty()) {
    TomlValue& section = document[key.section()];
    if (section.as<TomlTable>() == nullptr) section.content = TomlTable{};
    table = section.as<TomlTable>();
  }
  (*table)[key.last_name()] = toml_of(key, setup);
}

TomlTable toml_of(const Setup& setup) {
  TomlTable document;
  document["version"] = toml_value(Index{1});
  for (const SetupKey& key : setup_keys())
    if (is_written(key, setup)) put(document, key, setup);
  return document;
}

std::string wanted(const SetupKey& key) {
  const OwnKey* const own = own_key(key);
  if (own == nullptr) return wanted_type(key);
  return own->wanted.empty() ? list_of_any(names_of(key.words)) : std::string(own->wanted);
}

}  // namespace headlight
