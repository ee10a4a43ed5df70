#include "core/text/writable.hpp"

#include <algorithm>

#include "core/text/characters.hpp"

namespace headlight {
namespace {

bool is_writable(char32_t c) {
  const bool control = c < 0x20 && c != U'\t' && c != U'\n';
  const bool none = (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
  return !control && !none;
}

}  // namespace

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
