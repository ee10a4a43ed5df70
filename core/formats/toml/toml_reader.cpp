#include "core/formats/toml/toml_reader.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "core/formats/toml/toml_value.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

const TomlTable empty_table;
const TomlList empty_list;

std::string quoted_words(std::span<const std::string_view> words) {
  return fmt::format("\"{}\"", fmt::join(words, "\", \""));
}

std::optional<std::size_t> index_of(const TomlValue& value, std::span<const std::string_view> words) {
  const auto* word = value.as<std::string>();
  if (word == nullptr) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *word);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

std::string entry_key(std::string_view key, std::size_t position) { return fmt::format("{}[{}]", key, position); }

/// Entries of the wrong type are problems, and default values take their place, so that the others keep their places.
template <class T>
std::vector<T> read_entries(TomlReader& reader, std::string_view key, std::string_view many, std::string_view one) {
  std::vector<T> values;
  const TomlList& list = reader.list(key, many);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const T* value = list[i].template as<T>();
    if (value == nullptr) reader.add_entry(key, i, describe(list[i]), std::string(one));
    values.push_back(value == nullptr ? T{} : *value);
  }
  return values;
}

}  // namespace

std::string one_of(std::span<const std::string_view> words) {
  return (words.size() > 1 ? "one of " : "") + quoted_words(words);
}

std::string list_of_any(std::span<const std::string_view> words) {
  return fmt::format("a list of any of {}", quoted_words(words));
}

TomlReader::TomlReader(const TomlTable& table, std::string path, std::vector<Problem>& problems)
    : table_(table), path_(std::move(path)), problems_(problems) {}

std::string TomlReader::key_path(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void TomlReader::add(std::string_view key, std::string found, std::string allowed) {
  problems_.push_back({"", key_path(key), std::move(found), std::move(allowed)});
}

void TomlReader::add_entry(std::string_view key, std::size_t position, std::string found, std::string allowed) {
  add(entry_key(key, position), std::move(found), std::move(allowed));
}

void TomlReader::refuse(std::string_view key, const TomlValue& found, std::string_view allowed) {
  const auto* const text = found.as<std::string>();
  const bool is_for_number = allowed.starts_with(wanted_number) || allowed.starts_with(wanted_whole);
  add(key, describe(found), std::string(allowed) + (text && is_for_number ? number_meant_by(*text) : std::string()));
}

std::vector<std::string> TomlReader::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : table_.entries) keys.push_back(key);
  return keys;
}

const TomlValue* TomlReader::value(std::string_view key) {
  known_.emplace_back(key);
  return table_.find(key);
}

void TomlReader::read(std::string_view key, std::string& target) {
  const TomlValue* found = value(key);
  if (found == nullptr) return;
  if (const auto* text = found->as<std::string>()) target = *text;
  else refuse(key, *found, wanted_text);
}

void TomlReader::read(std::string_view key, double& target) {
  const TomlValue* found = value(key);
  if (found == nullptr) return;
  if (const auto* number = found->as<double>()) target = *number;
  else if (const auto* whole = found->as<std::int64_t>()) target = static_cast<double>(*whole);
  else refuse(key, *found, wanted_number);
}

void TomlReader::read(std::string_view key, bool& target) {
  const TomlValue* found = value(key);
  if (found == nullptr) return;
  if (const auto* truth = found->as<bool>()) target = *truth;
  else refuse(key, *found, wanted_truth);
}

void TomlReader::read(std::string_view key, Index& target) {
  const TomlValue* found = value(key);
  if (found == nullptr) return;
  if (const auto* whole = found->as<std::int64_t>()) target = *whole;
  else refuse(key, *found, wanted_whole);
}

void TomlReader::read(std::string_view key, std::optional<Index>& target) {
  Index whole = target.value_or(0);
  read(key, whole);
  const TomlValue* found = table_.find(key);
  if (found != nullptr && found->as<std::int64_t>() != nullptr) target = whole;
}

void TomlReader::read(std::string_view key, std::vector<std::string>& values) {
  if (has(key)) values = read_entries<std::string>(*this, key, wanted_texts, wanted_text);
  else known_.emplace_back(key);
}

void TomlReader::read(std::string_view key, std::vector<Index>& values) {
  if (has(key)) values = read_entries<std::int64_t>(*this, key, wanted_wholes, wanted_whole);
  else known_.emplace_back(key);
}

std::optional<std::size_t> TomlReader::read_word(std::string_view key, std::span<const std::string_view> words) {
  const TomlValue* found = value(key);
  if (found == nullptr) return std::nullopt;
  const auto index = index_of(*found, words);
  if (!index) refuse(key, *found, one_of(words));
  return index;
}

std::vector<std::size_t> TomlReader::read_words(std::string_view key, std::span<const std::string_view> words) {
  std::vector<std::size_t> indices;
  const TomlList& entries = list(key, list_of_any(words));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const auto index = index_of(entries[i], words)) indices.push_back(*index);
    else add_entry(key, i, describe(entries[i]), one_of(words));
  }
  return indices;
}

const TomlList& TomlReader::list(std::string_view key, std::string_view allowed) {
  const TomlValue* found = value(key);
  if (found == nullptr) return empty_list;
  if (const auto* entries = found->as<TomlList>()) return *entries;
  refuse(key, *found, allowed);
  return empty_list;
}

TomlReader TomlReader::table(std::string_view key) {
  const TomlValue* found = value(key);
  const TomlTable* within = found == nullptr ? nullptr : found->as<TomlTable>();
  if (found != nullptr && within == nullptr) refuse(key, *found, fmt::format("a table: [{}]", key_path(key)));
  return {within == nullptr ? empty_table : *within, key_path(key), problems_};
}

std::vector<TomlReader> TomlReader::tables(std::string_view key) {
  std::vector<TomlReader> readers;
  const std::string allowed = fmt::format("tables: [[{}]]", key_path(key));
  const TomlList& entries = list(key, allowed);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const auto* within = entries[i].as<TomlTable>())
      readers.emplace_back(*within, entry_key(key_path(key), i), problems_);
    else add_entry(key, i, describe(entries[i]), allowed);
  }
  return readers;
}

void TomlReader::finish() {
  std::unordered_set<std::string_view> known;
  std::vector<std::string_view> named;  // each once, in the order in which they were asked for
  for (const std::string& key : known_)
    if (known.insert(key).second) named.push_back(key);
  for (const auto& [key, value] : table_.entries) {
    if (known.contains(key)) continue;
    add(toml_key(key), "an unknown key", fmt::format("{}", fmt::join(named, ", ")));
  }
}

std::vector<Problem> located(std::vector<Problem> problems, const TomlTable& root, const std::string& source) {
  for (Problem& problem : problems) problem.source = with_line(source, line_of(root, problem.key));
  return problems;
}

}  // namespace headlight
