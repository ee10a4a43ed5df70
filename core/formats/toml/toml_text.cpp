#include "core/formats/toml/toml_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr std::size_t widest_line = 100;

std::string escaped(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F ? fmt::format("\\u{:04X}", byte) : std::string(1, c);
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
    for (const TomlEntry& entry : table.entries)
      parts.push_back(fmt::format("{} = {}", toml_key(entry.key), toml_text(entry.value)));
    return parts.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(parts, ", "));
  }
};

}  // namespace

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += escaped(c);
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
