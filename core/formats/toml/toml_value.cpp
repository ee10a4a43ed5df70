#include "core/formats/toml/toml_value.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

template <class T>
std::string as_text(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// Converts toml++'s tree into TomlTable.
class Converter {
 public:
  Converter(const std::string& source, int lines_before) : source_(source), lines_before_(lines_before) {}

  TomlTable table(const toml::table& from, int depth = 0) const {
    TomlTable result;
    for (const auto& [key, node] : from) result.entries.emplace(key.str(), value(node, depth + 1));
    return result;
  }

 private:
  TomlList list(const toml::array& from, int depth) const {
    TomlList result;
    for (const toml::node& node : from) result.push_back(value(node, depth + 1));
    return result;
  }

  TomlValue value(const toml::node& node, int depth) const {
    TomlValue result;
    result.line = static_cast<int>(node.source().begin.line) + lines_before_;
    // Code that walks the tree recurses, so a file must not be able to choose the depth.
    if (depth > deepest) {
      throw InputError({with_line(source_, result.line), "", fmt::format("values nested {} deep", depth),
                        "keys such as sizes.heads"});
    }
    node.visit([&](const auto& typed) {
      using Node = std::remove_cvref_t<decltype(typed)>;
      if constexpr (std::is_same_v<Node, toml::table>) result.content = table(typed, depth);
      else if constexpr (std::is_same_v<Node, toml::array>) result.content = list(typed, depth);
      else if constexpr (toml::is_chronological<Node>) result.content = TomlDate{as_text(typed.get())};
      else result.content = typed.get();
    });
    return result;
  }

  static constexpr int deepest = 100;
  const std::string& source_;
  int lines_before_;
};

/// Where the string or the comment that begins at a byte ends; the byte itself if none begins there.
std::size_t end_of_words(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote == '#') return std::min(text.find('\n', at), text.size());
  if (quote != '"' && quote != '\'') return at;
  const std::string_view three = text.substr(at, 3);
  const bool has_lines = three.size() == 3 && three[1] == quote && three[2] == quote;
  const std::string_view ends = has_lines ? three : three.substr(0, 1);
  for (std::size_t i = at + ends.size(); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') ++i;
    else if (text[i] == '\n' && !has_lines) return i;
    else if (text.substr(i).starts_with(ends)) {
      i += ends.size();
      while (has_lines && i < text.size() && text[i] == quote) ++i;  // it may end with quotes of its own
      return i;
    }
  }
  return text.size();
}

/// Throws InputError with the line if a text must not be given to toml++: if it is not UTF-8, or if a key has so many
/// parts that reading it could overflow the stack. `lines_before` is as for parse_toml.
void require_parsable(std::string_view text, const std::string& source, int lines_before) {
  // toml++ needs stack space for every dot of a key. The count starts again at every character that can begin a key.
  constexpr int most_dots = 10'000;
  require_text(text, source);
  int dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_words(text, at);
    const char c = text[at];
    if (std::string_view("\n=,[{").find(c) != std::string_view::npos) dots = 0;
    if (c == '.' && ++dots > most_dots) {
      const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      throw InputError({with_line(source, lines_before + 1 + static_cast<int>(lines)), "",
                        "a key of thousands of parts", "keys such as sizes.heads"});
    }
    at = std::max(end, at + 1);
  }
}

}  // namespace

const TomlValue* TomlTable::find(std::string_view key) const {
  const auto at = entries.find(key);
  return at == entries.end() ? nullptr : &at->second;
}

TomlValue& TomlTable::operator[](std::string_view key) { return entries[std::string(key)]; }

std::string describe(const TomlValue& value) {
  return std::visit(
      [](const auto& content) -> std::string {
        using Content = std::remove_cvref_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, std::string>) return fmt::format("\"{}\"", shortened(content));
        else if constexpr (std::is_same_v<Content, TomlDate>) return fmt::format("the date or time {}", content.text);
        else if constexpr (std::is_same_v<Content, TomlList>) return fmt::format("a list of {}", content.size());
        else if constexpr (std::is_same_v<Content, TomlTable>) return "a table";
        else if constexpr (std::is_same_v<Content, double>) return float_text(content);
        else return fmt::format("{}", content);
      },
      value.content);
}

std::string with_line(const std::string& source, int line) {
  if (line <= 0) return source;
  return source.empty() ? fmt::format("line {}", line) : fmt::format("{}:{}", source, line);
}

TomlTable parse_toml(std::string_view text, const std::string& source, int lines_before) {
  require_parsable(text, source, lines_before);
  try {
    return Converter(source, lines_before).table(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    const std::string where =
        fmt::format("{}:{}", with_line(source, static_cast<int>(at.line) + lines_before), at.column);
    throw InputError({where, "", fmt::format("a syntax error ({})", error.description()), "TOML, such as heads = 2"});
  }
}

std::vector<TomlStep> toml_path(std::string_view text) {
  std::vector<TomlStep> path;
  while (!text.empty()) {
    if (text.front() == '[') {
      const auto close = text.find(']');
      if (close == std::string_view::npos || path.empty()) return {};
      const auto position = number_from<std::size_t>(text.substr(1, close - 1));
      if (!position) return {};
      path.emplace_back(*position);
      text.remove_prefix(close + 1);
      if (!text.empty() && text.front() == '.' && text.size() > 1) text.remove_prefix(1);
      else if (!text.empty() && text.front() != '[') return {};
      continue;
    }
    const bool quoted = text.front() == '"';
    const auto end = quoted ? text.find('"', 1) : std::min(text.find_first_of(".["), text.size());
    if (end == 0 || end == std::string_view::npos) return {};
    path.emplace_back(std::string(quoted ? text.substr(1, end - 1) : text.substr(0, end)));
    text.remove_prefix(quoted ? end + 1 : end);
    if (quoted && !text.empty() && text.front() != '.' && text.front() != '[') return {};
    if (text == ".") return {};
    if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  }
  return path;
}

bool within(std::string_view key, std::string_view outer) {
  if (!key.starts_with(outer)) return false;
  return key.size() == outer.size() || key[outer.size()] == '.' || key[outer.size()] == '[';
}

const TomlValue* child(const TomlValue& value, const TomlStep& step) {
  if (const auto* key = std::get_if<std::string>(&step)) {
    const auto* table = value.as<TomlTable>();
    return table == nullptr ? nullptr : table->find(*key);
  }
  const auto* list = value.as<TomlList>();
  const std::size_t position = std::get<std::size_t>(step);
  return list == nullptr || position >= list->size() ? nullptr : &(*list)[position];
}

int line_of(const TomlTable& root, std::string_view path) {
  const std::vector<TomlStep> steps = toml_path(path);
  if (steps.empty()) return 0;
  const TomlValue* value = root.find(std::get<std::string>(steps.front()));
  int line = value == nullptr ? 0 : value->line;
  for (std::size_t i = 1; value != nullptr && i < steps.size(); ++i) {
    value = child(*value, steps[i]);
    if (value != nullptr && value->line > 0) line = value->line;
  }
  return line;
}

namespace {

constexpr std::size_t widest_line = 100;

std::string escaped_sign(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    default: return std::string(1, c);
  }
}

struct Writer {
  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(std::int64_t whole) const { return std::to_string(whole); }
  std::string operator()(double number) const { return float_text(number); }
  std::string operator()(const std::string& text) const { return toml_text(std::string_view(text)); }
  std::string operator()(const TomlDate& date) const { return date.text; }
  std::string operator()(const TomlList& list) const {
    std::vector<std::string> parts;
    for (const TomlValue& entry : list) parts.push_back(toml_text(entry));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  std::string operator()(const TomlTable& table) const {
    std::vector<std::string> parts;
    for (const auto& [key, value] : table.entries)
      parts.push_back(fmt::format("{} = {}", toml_key(key), toml_text(value)));
    return parts.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(parts, ", "));
  }
};

}  // namespace

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence(text), 1);
    const std::string_view character = text.substr(0, length);
    const bool has_sign = length == 1 && std::string_view("\"\\\n\t\r").find(text.front()) != std::string_view::npos;
    if (has_sign) result += escaped_sign(text.front());
    else if (utf8_sequence(text) > 0) result += printable(character);
    else result += character;  // bytes of a path, as they are
    text.remove_prefix(length);
  }
  return result + '"';
}

std::string toml_key(std::string_view key) {
  const auto bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !key.empty() && std::ranges::all_of(key, bare) ? std::string(key) : toml_text(key);
}

std::string toml_text(const TomlValue& value) { return std::visit(Writer{}, value.content); }

std::string toml_list(const std::vector<std::string>& entries) {
  std::string on_one_line = fmt::format("[{}]", fmt::join(entries, ", "));
  if (on_one_line.size() <= widest_line) return on_one_line;
  std::string result = "[";
  std::size_t width = widest_line;
  for (const std::string& entry : entries) {
    if (width + entry.size() + 2 > widest_line) {
      result += "\n ";
      width = 1;
    }
    result += fmt::format(" {},", entry);
    width += entry.size() + 2;
  }
  return result + "\n]";
}

std::string toml_line(std::string_view key, std::string_view value, std::string_view comment) {
  const std::string line = fmt::format("{} = {}", key, value);
  return comment.empty() ? line + '\n' : fmt::format("{:<32}  # {}\n", line, comment);
}

}  // namespace headlight
