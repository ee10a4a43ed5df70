// A TOML document as a plain tree, with the line of each value. Everything that reads TOML reads it through this.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headlight {

struct TomlValue;

/// Keys and values, sorted by key.
struct TomlTable {
  std::map<std::string, TomlValue, std::less<>> entries;

  const TomlValue* find(std::string_view key) const;
  /// The value of the key, added if it is missing.
  TomlValue& operator[](std::string_view key);
};

using TomlList = std::vector<TomlValue>;

/// A date or a time. No document of Headlight has one, so only its text is kept, for messages.
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

/// The value in messages, as what was found: "3", "\"causal\"", "a list of 2", "a table".
std::string describe(const TomlValue& value);

/// Reads TOML. Throws InputError with source, line and column of a syntax error, or if the text is not UTF-8.
/// `lines_before` is the number of lines before the text in its file and is added to all lines.
TomlTable parse_toml(std::string_view text, const std::string& source, int lines_before = 0);

/// The line of the value at a dotted path ("mask.blocked[2]"), or of the innermost table or list around it; 0 if
/// unknown.
int line_of(const TomlTable& root, std::string_view path);

/// "lesson.toml:12", or the source alone if the line is unknown (0).
std::string with_line(const std::string& source, int line);

/// One step of a dotted path: a key, or a position in a list.
using TomlStep = std::variant<std::string, std::size_t>;

/// "mask.blocked[2]" -> mask, blocked, 2; a key may be in quotes, as in values."W_v[2,5]". Empty if the text is not a
/// path.
std::vector<TomlStep> toml_path(std::string_view text);

/// Whether a dotted key is `outer` or is inside it: "sizes.heads" is inside "sizes", "draws[1]" inside "draws".
bool within(std::string_view key, std::string_view outer);

/// The value that a step leads to inside `value`; null if there is none.
const TomlValue* child(const TomlValue& value, const TomlStep& step);

/// The text in quotes, with the escapes that a TOML basic string needs.
std::string toml_text(std::string_view text);

/// A key: as it is where TOML allows that, else in quotes.
std::string toml_key(std::string_view key);

/// The value on one line.
std::string toml_text(const TomlValue& value);

/// A list of entries that are already TOML: on one line if it fits into 100 columns, otherwise on several filled lines.
std::string toml_list(const std::vector<std::string>& entries);

/// One line of a file, with its line break: "heads = 2                         # divides d_model"
std::string toml_line(std::string_view key, std::string_view value, std::string_view comment = {});

}  // namespace headlight
