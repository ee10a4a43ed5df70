#include "core/text/characters.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headlight {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// The character that these bytes are.
char32_t first_character(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes.front());
  char32_t character = bytes.size() == 1 ? first : first & (0x7Fu >> bytes.size());
  for (const char c : bytes.substr(1)) character = character << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return character;
}

bool is_writable(char32_t c) {
  const bool control = c < 0x20 && c != U'\t' && c != U'\n';
  const bool none = (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
  return !control && !none;
}

/// The text with what `is_escaped` chooses as "\\u001B", and bytes that are no UTF-8 as "\\x9B".
template <class IsEscaped>
std::string with_escapes(std::string_view text, IsEscaped is_escaped) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) result += fmt::format("\\x{:02X}", static_cast<unsigned char>(bytes.front()));
    else if (const char32_t c = first_character(bytes); is_escaped(c))
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else result += bytes;
    text.remove_prefix(bytes.size());
  }
  return result;
}

}  // namespace

std::size_t utf8_sequence(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  if (std::any_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), begins_character)) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool beyond_unicode = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond_unicode ? 0 : length;
}

std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> characters;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    if (length > 0) characters.push_back(first_character(text.substr(0, length)));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return characters;
}

std::size_t utf8_length(char32_t character) {
  return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

std::string utf8_of(char32_t character) {
  if (character < 0x80) return {static_cast<char>(character)};
  std::string bytes;
  const int following = static_cast<int>(utf8_length(character)) - 1;
  bytes += static_cast<char>((0xFF00u >> (following + 1) & 0xFFu) | character >> 6 * following);
  for (int i = following - 1; i >= 0; --i) bytes += static_cast<char>(0x80u | (character >> 6 * i & 0x3Fu));
  return bytes;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string_view first_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && !begins_character(text[most])) --most;
  return text.substr(0, most);
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::string_view begin = first_bytes(text, most);
  return fmt::format("{}{}", begin, begin.size() < text.size() ? "…" : "");
}

std::string first_names(std::span<const std::string> names) {
  constexpr std::size_t most = 20;
  const std::size_t more = names.size() - std::min(names.size(), most);
  return fmt::format("{}{}", fmt::join(names.first(names.size() - more), ", "),
                     more == 0 ? "" : fmt::format(", and {} more", more));
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split_at(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto found = text.find(at);
    parts.push_back(text.substr(0, found));
    if (found == std::string_view::npos) return parts;
    text.remove_prefix(found + 1);
  }
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what)) {
    result.append(text.substr(0, at)).append(with);
    text.remove_prefix(at + what.size());
  }
  return result.append(text);
}

bool is_control(char32_t c) {
  const bool directs =
      c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || directs || c == 0x2028 || c == 0x2029;
}

std::string printable(std::string_view text) { return with_escapes(text, is_control); }

std::string printable_lines(std::string_view text) {
  return with_escapes(text, [](char32_t c) { return is_control(c) && c != U'\n' && c != U'\t'; });
}

std::string writable(std::string_view utf8) {
  std::string text;
  while (!utf8.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence(utf8), 1);
    const std::string_view bytes = utf8.substr(0, length);
    for (const char32_t character : characters_of(bytes)) text += is_writable(character) ? bytes : "\uFFFD";
    utf8.remove_prefix(length);
  }
  return text;
}

}  // namespace headlight
