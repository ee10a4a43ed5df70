#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/setup/setup_file.hpp"
#include "core/formats/toml/toml_value.hpp"

namespace headlight {
namespace {

/// Above this many entries of a list that differ, the list is assigned as a whole.
constexpr std::size_t most_single_entries = 3;

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += fmt::format("\\{}", c);
    else result += byte < 0x20 || byte == 0x7F ? fmt::format("\\u{:04X}", byte) : std::string(1, c);
  }
  return result + '"';
}

/// A TOML float: the shortest digits that read back as the same number.
std::string text_of(double number) {
  std::string digits = fmt::format("{}", number);
  if (digits.find_first_not_of("-0123456789") == std::string::npos) digits += ".0";
  return digits;
}

/// The value in TOML, on one line.
std::string text_of(const TomlValue& value) {
  if (const auto* truth = value.as<bool>()) return *truth ? "true" : "false";
  if (const auto* whole = value.as<std::int64_t>()) return std::to_string(*whole);
  if (const auto* number = value.as<double>()) return text_of(*number);
  if (const auto* text = value.as<std::string>()) return in_quotes(*text);
  if (const auto* date = value.as<TomlDate>()) return date->text;
  std::vector<std::string> parts;
  if (const auto* list = value.as<TomlList>()) {
    for (const TomlValue& entry : *list) parts.push_back(text_of(entry));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  for (const TomlEntry& entry : value.as<TomlTable>()->entries)
    parts.push_back(fmt::format("{} = {}", entry.key, text_of(entry.value)));
  return fmt::format("{{ {} }}", fmt::join(parts, ", "));
}

/// The same behind '=' of an assignment, where words that are no TOML stand for themselves.
std::string assigned(const TomlValue& value) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ []";
  constexpr std::array<std::string_view, 4> values_of_toml{"true", "false", "inf", "nan"};
  const auto* text = value.as<std::string>();
  if (text == nullptr || text->empty() || text->find_first_not_of(plain) != std::string::npos) return text_of(value);
  const bool begins_with_letter = (text->front() | 0x20) >= 'a' && (text->front() | 0x20) <= 'z';
  const bool reads_as_value = std::any_of(values_of_toml.begin(), values_of_toml.end(),
                                          [&](std::string_view word) { return text->starts_with(word); });
  return begins_with_letter && !reads_as_value && text->back() != ' ' ? *text : in_quotes(*text);
}

class Differences {
 public:
  void add(const std::string& key, const TomlValue& from, const TomlValue& to) {
    const auto* was = from.as<TomlTable>();
    const auto* is = to.as<TomlTable>();
    if (was != nullptr && is != nullptr) add_tables(key, *was, *is, to);
    else if (text_of(from) != text_of(to) && !add_entries(key, from, to)) assign(key, to);
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void assign(const std::string& key, const TomlValue& value) {
    found_.push_back(fmt::format("{}={}", key, assigned(value)));
  }

  void add_tables(const std::string& key, const TomlTable& from, const TomlTable& to, const TomlValue& whole) {
    const auto inside = [&](const std::string& name) { return key.empty() ? name : key + '.' + name; };
    for (const TomlEntry& entry : from.entries) {
      if (to.find(entry.key) != nullptr) continue;
      // An assignment takes no key away; but one of a table can leave it out, and labels can be none.
      if (!key.empty()) return assign(key, whole);
      assign(inside(entry.key), TomlValue{TomlList{}, 0});
    }
    for (const TomlEntry& entry : to.entries) {
      if (const TomlValue* was = from.find(entry.key)) add(inside(entry.key), *was, entry.value);
      else assign(inside(entry.key), entry.value);
    }
  }

  /// Single entries of lists of one length; false where the list is better assigned as a whole.
  bool add_entries(const std::string& key, const TomlValue& from, const TomlValue& to) {
    const auto* was = from.as<TomlList>();
    const auto* is = to.as<TomlList>();
    if (was == nullptr || is == nullptr || was->size() != is->size()) return false;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < is->size(); ++i)
      if (text_of((*was)[i]) != text_of((*is)[i])) places.push_back(i);
    if (places.size() > most_single_entries) return false;
    for (const std::size_t i : places) assign(fmt::format("{}[{}]", key, i), (*is)[i]);
    return true;
  }

  std::vector<std::string> found_;
};

TomlValue document_of(const Setup& setup) { return {parse_toml(write_setup(setup), "the setup"), 0}; }

}  // namespace

std::vector<std::string> overrides_between(const Setup& from, const Setup& to) {
  Differences differences;
  differences.add("", document_of(from), document_of(to));
  return differences.take();
}

}  // namespace headlight
