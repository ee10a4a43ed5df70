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

/// Reads the value of an entry into its owner: std::visit(EntryReader(...), entry.value).
template <class O>
class EntryReader {
 public:
  EntryReader(TomlReader& reader, const Entry<O>& entry, O& owner) : reader_(reader), entry_(entry), owner_(owner) {}

  template <class T>
  void operator()(const Field<O, T>& field) const {
    reader_.read(key(), field.of(owner_));
  }
  /// The name of the key that it follows leaves it out; `headlight keys` prints that name as the default.
  void operator()(const Optional<O>& number) const {
    const TomlValue* found = reader_.value(key());
    const auto* text = found == nullptr ? nullptr : found->template as<std::string>();
    if (text != nullptr && *text == number.follows) number.field.of(owner_).reset();
    else reader_.read(key(), number.field.of(owner_));
  }
  void operator()(const Choice<O>& choice) const {
    if (const auto word = reader_.read_word(key(), names_of(entry_.words))) choice.put(owner_, *word);
  }
  void operator()(const NumberOrWord<O>& either) const {
    const TomlValue* found = reader_.value(key());
    if (found == nullptr) return;
    const auto* text = found->template as<std::string>();
    for (std::size_t word = 0; word < entry_.words.size(); ++word)
      if (text != nullptr && *text == entry_.words[word].name) return either.put_word(owner_, word);
    if (const auto* number = found->template as<double>()) either.put_number(owner_, *number);
    else if (const auto* whole = found->template as<std::int64_t>())
      either.put_number(owner_, static_cast<double>(*whole));
    else reader_.add(key(), describe(*found), wanted_number_or(entry_.words));
  }
  void operator()(const Computed<O, bool>&) const {}
  void operator()(const Computed<O, Index>&) const {}

 protected:
  std::string_view key() const { return entry_.last_name(); }

  TomlReader& reader_;
  const Entry<O>& entry_;
  O& owner_;
};

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
  const auto named = [&](std::size_t word) { return toml_value(std::string(entry.words[word].name)); };
  return std::visit(
      [&]<class V>(const V& at) {
        if constexpr (std::is_same_v<V, Choice<O>>) {
          return named(at.in(owner));
        } else if constexpr (std::is_same_v<V, Optional<O>>) {
          return toml_value(at.field.in(owner).value_or(at.meaning(owner)));
        } else if constexpr (std::is_same_v<V, NumberOrWord<O>>) {
          const auto word = at.word(owner);
          return word ? named(*word) : toml_value(at.number(owner));
        } else if constexpr (std::is_same_v<V, Computed<O, bool>> || std::is_same_v<V, Computed<O, Index>>) {
          return toml_value(at.in(owner).value_or(0));
        } else {
          return toml_value(at.in(owner));
        }
      },
      entry.value);
}

/// What messages allow if the value has the wrong type: "a whole number", "one of \"self\", \"cross\"".
template <class O>
std::string wanted_type(const Entry<O>& entry) {
  if (entry.is_whole()) {
    const bool is_list = std::holds_alternative<Field<O, std::vector<Index>>>(entry.value);
    return std::string(is_list ? wanted_wholes : wanted_whole);
  }
  if (std::holds_alternative<Choice<O>>(entry.value)) return one_of(names_of(entry.words));
  if (std::holds_alternative<NumberOrWord<O>>(entry.value)) return wanted_number_or(entry.words);
  if (std::holds_alternative<Field<O, bool>>(entry.value)) return std::string(wanted_truth);
  if (std::holds_alternative<Field<O, double>>(entry.value)) return std::string(wanted_number);
  if (std::holds_alternative<Field<O, std::string>>(entry.value)) return std::string(wanted_text);
  return std::string(wanted_texts);
}

}  // namespace headlight
