// Reads and writes the value of any entry (core/setup/entry.hpp) in a TOML table. An owner that has values of other
// types adds functions for these.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/formats/toml/toml_reader.hpp"
#include "core/setup/entry.hpp"

namespace headlight {

/// "\"none\" or a number": what messages allow for a number or a word in its place.
inline std::string wanted_number_or(std::span<const Word> words) {
  return entry_detail::words_or(words, wanted_number);
}

/// Reads the value of an entry into its owner. A name of the entry that it follows leaves it out; `headlight keys`
/// prints that name as the default.
template <class O>
void read_value(TomlReader& reader, const Entry<O>& entry, O& owner) {
  const std::string_view key = entry.last_name();
  const Access<O>& value = entry.value;
  if (value.kind == ValueKind::choice) {
    if (const auto word = reader.read_word(key, names_of(entry.words))) value.set(owner, *word);
    return;
  }
  const TomlValue* const found = reader.value(key);
  if (found == nullptr || value.kind == ValueKind::own) return;
  const auto* const text = found->template as<std::string>();
  if (text != nullptr && value.left_out != nullptr && *text == value.follows) return value.set(owner, {});
  if (value.kind == ValueKind::number_or_word) {
    for (std::size_t word = 0; word < entry.words.size(); ++word)
      if (text != nullptr && *text == entry.words[word].name) return value.set(owner, word);
    double number = 0;
    const std::size_t problems = reader.problems().size();
    reader.read(key, number);
    if (reader.problems().size() == problems) return value.set(owner, number);
    reader.problems().back().allowed = wanted_number_or(entry.words);
    return;
  }
  // The file gives this number. What it would follow from otherwise isn't checked yet, so nobody asks for it.
  PlainValue read = value.left_out != nullptr ? PlainValue(Index{0}) : value.get(owner);
  const std::size_t problems = reader.problems().size();
  std::visit(
      [&](auto& plain) {
        if constexpr (requires { reader.read(key, plain); }) reader.read(key, plain);
      },
      read);
  if (value.left_out == nullptr || reader.problems().size() == problems) value.set(owner, read);
}

inline TomlValue toml_value(bool value) { return {value, 0}; }
inline TomlValue toml_value(const std::string& value) { return {value, 0}; }
inline TomlValue toml_value(Index value) { return {value, 0}; }
inline TomlValue toml_value(double value) { return {value, 0}; }
inline TomlValue toml_value(const std::pair<Index, Index>& pair) {
  return {TomlList{toml_value(pair.first), toml_value(pair.second)}, 0};
}
template <class Value>
TomlValue toml_value(const std::vector<Value>& values) {
  TomlList list;
  for (const Value& value : values) list.push_back(toml_value(value));
  return {std::move(list), 0};
}

/// The value of an entry. For a number that is left out, the one that is used instead.
template <class O>
TomlValue toml_of(const Entry<O>& entry, const O& owner) {
  return std::visit(
      [&]<class T>(const T& plain) {
        if constexpr (std::is_same_v<T, std::monostate>) return toml_value(Index{0});
        else if constexpr (std::is_same_v<T, std::size_t>) return toml_value(std::string(entry.words[plain].name));
        else return toml_value(plain);
      },
      entry.value.get(owner));
}

/// What messages allow if the value has the wrong type: "a whole number", "one of \"self\", \"cross\"".
template <class O>
std::string wanted_type(const Entry<O>& entry) {
  switch (entry.value.kind) {
    case ValueKind::flag: return std::string(wanted_truth);
    case ValueKind::choice: return one_of(names_of(entry.words));
    case ValueKind::whole: return std::string(wanted_whole);
    case ValueKind::real: return std::string(wanted_number);
    case ValueKind::number_or_word: return wanted_number_or(entry.words);
    case ValueKind::wholes: return std::string(wanted_wholes);
    case ValueKind::text: return std::string(wanted_text);
    case ValueKind::texts:
    case ValueKind::own: break;
  }
  return std::string(wanted_texts);
}

}  // namespace headlight
