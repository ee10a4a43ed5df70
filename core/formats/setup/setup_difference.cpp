#include "core/formats/setup/setup_difference.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/toml/toml_text.hpp"

namespace headlight {
namespace {

/// If more entries of a list than this differ, the whole list is assigned.
constexpr std::size_t most_single_entries = 3;

/// The text after '=' in an assignment. A text value needs no quotes if it cannot be mistaken for TOML.
std::string assigned(const TomlValue& value) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ []";
  constexpr std::array<std::string_view, 4> values_of_toml{"true", "false", "inf", "nan"};
  const auto* text = value.as<std::string>();
  if (text == nullptr || text->empty() || text->find_first_not_of(plain) != std::string::npos) return toml_text(value);
  const bool begins_with_letter = (text->front() | 0x20) >= 'a' && (text->front() | 0x20) <= 'z';
  const bool reads_as_value = std::any_of(values_of_toml.begin(), values_of_toml.end(),
                                          [&](std::string_view word) { return text->starts_with(word); });
  return begins_with_letter && !reads_as_value && text->back() != ' ' ? *text : toml_text(value);
}

class Differences {
 public:
  void add(const std::string& key, const TomlValue& from, const TomlValue& to) {
    const auto* was = from.as<TomlTable>();
    const auto* is = to.as<TomlTable>();
    if (was != nullptr && is != nullptr) add_tables(key, *was, *is, to);
    else if (toml_text(from) != toml_text(to) && !(has_entries(key) && add_entries(key, from, to))) assign(key, to);
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void assign(const std::string& key, const TomlValue& value) {
    found_.push_back(fmt::format("{}={}", key, assigned(value)));
  }

  /// A position in a list of a value would be read as a part in NumPy's notation.
  static bool has_entries(const std::string& key) { return !within(key, "values"); }

  void add_tables(const std::string& key, const TomlTable& from, const TomlTable& to, const TomlValue& whole) {
    const auto inside = [&](const std::string& name) { return key.empty() ? name : key + '.' + name; };
    for (const TomlEntry& entry : from.entries) {
      if (to.find(entry.key) != nullptr) continue;
      // An assignment cannot remove a key. But one of a table can leave it out, and labels and values can be none.
      if (!key.empty()) return assign(key, whole);
      const bool is_table = entry.value.as<TomlTable>() != nullptr;
      assign(inside(entry.key), is_table ? TomlValue{TomlTable{}, 0} : TomlValue{TomlList{}, 0});
    }
    for (const TomlEntry& entry : to.entries) {
      const bool is_section = key.empty() && entry.value.as<TomlTable>() != nullptr && has_entries(entry.key);
      if (const TomlValue* was = from.find(entry.key)) add(inside(entry.key), *was, entry.value);
      else if (is_section) add(inside(entry.key), {TomlTable{}, 0}, entry.value);  // a section that was left out
      else assign(inside(entry.key), entry.value);
    }
  }

  /// Assigns single entries if both lists have the same length. Returns false if the whole list should be assigned.
  bool add_entries(const std::string& key, const TomlValue& from, const TomlValue& to) {
    const auto* was = from.as<TomlList>();
    const auto* is = to.as<TomlList>();
    if (was == nullptr || is == nullptr || was->size() != is->size()) return false;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < is->size(); ++i)
      if (toml_text((*was)[i]) != toml_text((*is)[i])) places.push_back(i);
    if (places.size() > most_single_entries) return false;
    for (const std::size_t i : places) assign(fmt::format("{}[{}]", key, i), (*is)[i]);
    return true;
  }

  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> overrides_between(const Setup& from, const Setup& to) {
  Differences differences;
  differences.add("", {toml_of(from), 0}, {toml_of(to), 0});
  return differences.take();
}

}  // namespace headlight
