#include "app/export/utf8.hpp"

namespace headlight {
namespace {

/// Bytes of the character that begins with this one; 0 where none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xF0 && first < 0xF8) return 4;
  if (first >= 0xE0) return first < 0xF0 ? 3 : 0;
  return first >= 0xC0 ? 2 : 0;
}

bool is_writable(char32_t c) {
  const bool control = c < 0x20 && c != U'\t' && c != U'\n';
  const bool none = (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
  return !control && !none;
}

}  // namespace

std::vector<char32_t> characters_of(std::string_view utf8) {
  std::vector<char32_t> characters;
  for (std::size_t at = 0; at < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[at]);
    const std::size_t length = length_of(first);
    if (length == 0 || at + length > utf8.size()) {
      ++at;
      continue;
    }
    char32_t character = length == 1 ? first : first & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i)
      character = character << 6 | (static_cast<unsigned char>(utf8[at + i]) & 0x3Fu);
    characters.push_back(character);
    at += length;
  }
  return characters;
}

std::size_t utf8_length(char32_t character) {
  return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

std::string writable(std::string_view utf8) {
  std::string text;
  std::size_t at = 0;
  for (char32_t character : characters_of(utf8)) {
    const std::size_t length = utf8_length(character);
    text += is_writable(character) ? utf8.substr(at, length) : "\uFFFD";
    at += length;
  }
  return text;
}

}  // namespace headlight
