// A TOML document as a plain tree, with the line of each value. The only place that knows the TOML library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headlight {

struct TomlValue;
struct TomlEntry;

/// Keys and values, sorted by key.
struct TomlTable {
  std::vector<TomlEntry> entries;

  const TomlValue* find(std::string_view key) const;
  /// The value of the key, made if there is none yet.
  TomlValue& operator[](std::string_view key);
};

using TomlList = std::vector<TomlValue>;

/// A date or a time: no document of ours has any, so that only its text matters, for messages.
struct TomlDate {
  std::string text;
};

struct TomlValue {
  std::variant<bool, std::int64_t, double, std::string, TomlDate, TomlList, TomlTable> content;
  int line = 0;  ///< counted from 1; 0 for values that were not read from a text

  template <class T>
  const T* as() const {
    return std::get_if<T>(&content);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&content);
  }
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

/// "3", "\"causal\"", "a list of 2", "a table": what messages say was found.
std::string describe(const TomlValue& value);

/// Throws InputError naming the source, line and column of a syntax error, or where the text is not UTF-8. Lines are
/// those of the file that holds the text after `lines_before` others.
TomlTable parse_toml(std::string_view text, const std::string& source, int lines_before = 0);

/// The line of the value at a dotted path ("mask.blocked[2]"), or of the nearest table or list around it; 0 if unknown.
int line_of(const TomlTable& root, std::string_view path);

/// "lesson.toml:12", or the source alone where the line is unknown.
std::string with_line(const std::string& source, int line);

/// One step of a dotted path: a key, or a position in a list.
using TomlStep = std::variant<std::string, std::size_t>;

/// "mask.blocked[2]" -> mask, blocked, 2; a key may stand in quotes, as in values."W_v[2,5]". Empty where the text is
/// no such path.
std::vector<TomlStep> toml_path(std::string_view text);

/// Whether a dotted key is `outer` or lies inside it: "sizes.heads" in "sizes", "draws[1]" in "draws".
bool within(std::string_view key, std::string_view outer);

/// The value inside `value` that a step leads to; null where there is none.
const TomlValue* child(const TomlValue& value, const TomlStep& step);

}  // namespace headlight
