#include "app/ui/field_graphemes.hpp"

#include <algorithm>

#include "app/shaping/shaping.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr char32_t first_code = 0xE000;
constexpr std::size_t most_codes = 0xF8FF - 0xE000 + 1;

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The number in three bytes at the beginning of the text, half of a larger character too, as ImGui writes it; 0 if
/// there is none.
char32_t from_three_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.size() < 3 || byte(0) >> 4 != 0xE || byte(1) >> 6 != 2 || byte(2) >> 6 != 2) return 0;
  return static_cast<char32_t>(byte(0) & 0xF) << 12 | static_cast<char32_t>(byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
}

bool is_one_character(std::string_view grapheme) {
  const std::size_t length = utf8_sequence(grapheme);
  const bool is_private =
      length == 3 && from_three_bytes(grapheme) >= first_code && from_three_bytes(grapheme) < first_code + most_codes;
  return grapheme.size() == length && length < 4 && !is_private;
}

}  // namespace

std::string FieldGraphemes::encoded(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::string_view grapheme = text.substr(0, grapheme_length(text));
    text.remove_prefix(grapheme.size());
    auto code = codes_.find(grapheme);
    if (code == codes_.end() && !is_one_character(grapheme) && graphemes_.size() < most_codes) {
      code = codes_.emplace(grapheme, first_code + static_cast<char32_t>(graphemes_.size())).first;
      graphemes_.emplace_back(grapheme);
    }
    result += code == codes_.end() ? std::string(grapheme) : utf8_of(code->second);
  }
  return result;
}

std::string FieldGraphemes::decoded(std::string_view encoded) const {
  if (is_ascii(encoded)) return std::string(encoded);
  std::string result;
  while (!encoded.empty()) {
    const char32_t code = from_three_bytes(encoded);
    const char32_t next = code >> 10 == 0x36 ? from_three_bytes(encoded.substr(3)) : 0;
    if (next >> 10 == 0x37) {
      result += utf8_of(0x10000 + ((code & 0x3FF) << 10 | (next & 0x3FF)));
      encoded.remove_prefix(6);
    } else if (code >= first_code && code - first_code < graphemes_.size()) {
      result += graphemes_[code - first_code];
      encoded.remove_prefix(3);
    } else {
      result += encoded.front();
      encoded.remove_prefix(1);
    }
  }
  return result;
}

int FieldGraphemes::characters_before(std::string_view text, std::size_t byte) {
  return static_cast<int>(character_count(encoded(text.substr(0, byte))));
}

std::size_t FieldGraphemes::byte_behind(std::string_view text, int characters) {
  std::size_t byte = 0;
  for (int count = 0; byte < text.size(); byte += grapheme_length(text.substr(byte))) {
    if (count >= characters) break;
    count += characters_before(text.substr(byte), grapheme_length(text.substr(byte)));
  }
  return byte;
}

}  // namespace headlight
